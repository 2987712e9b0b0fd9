import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestApi } from '#server/testing/api.ts'
import { isBuilt } from '../../cli/build-console.mjs'
import { type Child, startChild } from '../child.ts'
import { cpuSeconds, isQuiet, memoryMb } from '../procfs.ts'
import { type Figure, figure, number } from '../report.ts'

const startLimitMs = 1000
const memoryLimitMb = 200
const settleMs = 3000
/** At rest: what the start has left behind is collected by then. */
const restMs = 60_000

type Start = { startMs: number; cpu: number; rss: number; peak: number }

async function observe(start: () => Promise<Child>, waitMs: number): Promise<Start> {
  const child = await start()
  try {
    const cpu = cpuSeconds([child.pid], [])
    await delay(waitMs)
    return { startMs: child.startMs, cpu, ...memoryMb([child.pid]) }
  } finally {
    await child.stop()
  }
}

/** The whole server with the console, on a database that is migrated and seeded. `rested`: memory is read a minute after the start. */
export async function coldStart(api: TestApi, rested: boolean): Promise<Figure[]> {
  if (!isBuilt()) return [figure({ case: 16, job: 'cold start, idle memory', ours: 'SKIP(no build)' })]
  const environment = { PORT: '0', DATABASE_URL: api.ownerUrl, DATA_DIR: join(dirname(api.gate), 'data') }
  const ours = () => startChild('cli/start.mjs', environment, /^Countersign is ready at (\S+)/)
  const quiet = await isQuiet()
  const seconds = (rested ? restMs : settleMs) / 1000
  // The first start after a change bundles the server and compiles it for the later ones.
  await observe(ours, 0)
  const last = await observe(ours, seconds * 1000)
  const both = [await observe(ours, settleMs), last]
  const mean = (field: keyof Start) => both.reduce((sum, start) => sum + start[field], 0) / both.length
  const startMs = mean('startMs')
  const time = quiet ? `${number(startMs)} ms` : 'SKIP(noisy)'
  return [
    figure({
      case: 16,
      job: 'cold start without migration',
      ours: `${time}, ${number(mean('cpu'))} CPU s`,
      target: `≤ ${startLimitMs / 1000} s`,
      met: quiet ? (startMs <= startLimitMs ? 'yes' : 'no') : '–',
      data: both,
    }),
    figure({
      case: 16,
      job: `idle memory ${seconds} s after the start (resident, peak)`,
      ours: `${number(last.rss)}, ${number(last.peak)} MB`,
      target: `≤ ${memoryLimitMb} MB after a minute`,
      met: rested ? (last.rss <= memoryLimitMb ? 'yes' : 'no') : '–',
    }),
  ]
}
