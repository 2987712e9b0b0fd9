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

type Start = { startMs: number; cpu: number; rss: number; peak: number }

async function observe(start: () => Promise<Child>): Promise<Start> {
  const child = await start()
  try {
    const cpu = cpuSeconds([child.pid], [])
    await delay(settleMs)
    return { startMs: child.startMs, cpu, ...memoryMb([child.pid]) }
  } finally {
    await child.stop()
  }
}

/** The whole server with the console, on a database that is migrated and seeded. */
export async function coldStart(api: TestApi): Promise<Figure[]> {
  if (!isBuilt()) return [figure({ case: 16, job: 'cold start, idle memory', ours: 'SKIP(no build)' })]
  const environment = { PORT: '0', DATABASE_URL: api.ownerUrl, DATA_DIR: join(dirname(api.gate), 'data') }
  const ours = () => startChild('cli/start.mjs', environment, /^Countersign is ready at (\S+)/)
  const quiet = await isQuiet()
  const both = [await observe(ours), await observe(ours)]
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
      job: 'idle memory (resident, peak)',
      ours: `${number(mean('rss'))}, ${number(mean('peak'))} MB`,
      target: `≤ ${memoryLimitMb} MB`,
      met: mean('rss') <= memoryLimitMb ? 'yes' : 'no',
    }),
  ]
}
