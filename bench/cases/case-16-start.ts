import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestApi } from '#server/testing/api.ts'
import { type Child, startChild } from '../child.ts'
import { cpuSeconds, isQuiet, memoryMb } from '../procfs.ts'
import { type Figure, figure, number } from '../report.ts'

const startLimitMs = 5000
const memoryLimit = 2.5
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

/** The whole server with the console on a migrated and seeded database, compared with Next alone on the same build. */
export async function coldStart(api: TestApi): Promise<Figure[]> {
  if (!existsSync(join(import.meta.dirname, '../..', '.next', 'BUILD_ID')))
    return [figure({ case: 16, job: 'cold start, idle memory', ours: 'SKIP(no build)' })]
  const environment = { PORT: '0', DATABASE_URL: api.ownerUrl, DATA_DIR: join(dirname(api.gate), 'data') }
  const ours = () => startChild('server/main.ts', environment, /^Countersign is ready at (\S+)/)
  const peer = () => startChild('bench/peers/next-alone.ts')
  const quiet = await isQuiet()
  const first = await observe(peer)
  const both = [await observe(ours), await observe(ours)]
  const last = await observe(peer)
  const mean = (starts: readonly Start[], field: keyof Start) =>
    starts.reduce((sum, start) => sum + start[field], 0) / starts.length
  const startMs = mean(both, 'startMs')
  const theirs = [first, last]
  const time = (starts: readonly Start[]) => (quiet ? `${number(mean(starts, 'startMs'))} ms` : 'SKIP(noisy)')
  const growth = mean(both, 'rss') / mean(theirs, 'rss')
  const note = 'peer: Next alone on the same build, not an empty app'
  return [
    figure({
      case: 16,
      job: 'cold start without migration',
      ours: `${time(both)}, ${number(mean(both, 'cpu'))} CPU s`,
      peer: `${time(theirs)}, ${number(mean(theirs, 'cpu'))} CPU s`,
      ratio: `${number(mean(both, 'cpu') / mean(theirs, 'cpu'))}× CPU`,
      target: `≤ ${startLimitMs / 1000} s`,
      met: quiet ? (startMs <= startLimitMs ? 'yes' : 'no') : '–',
      note,
      data: { ours: both, peer: theirs },
    }),
    figure({
      case: 16,
      job: 'idle memory (resident, peak)',
      ours: `${number(mean(both, 'rss'))}, ${number(mean(both, 'peak'))} MB`,
      peer: `${number(mean(theirs, 'rss'))}, ${number(mean(theirs, 'peak'))} MB`,
      ratio: `${number(growth)}×`,
      target: `≤ ${memoryLimit}×`,
      met: growth <= memoryLimit ? 'yes' : 'no',
      note,
    }),
  ]
}
