import { monitorEventLoopDelay } from 'node:perf_hooks'
import { cipherOfApi } from '#server/testing/tenant-cipher.ts'
import { quantile, type Tally } from '../box/at-rate.ts'
import { rates } from '../box/load-box.ts'
import { type Box, openBox } from '../box/open-box.ts'
import { type Outcome, runBox } from '../box/run-box.ts'
import { socketCount } from '../box/sockets.ts'
import { exportDay } from '../export-server.ts'
import { median } from '../measure.ts'
import { cpuSeconds, ownMemoryMb } from '../procfs.ts'
import { type Figure, figure, number } from '../report.ts'
import { seedDay } from '../seed-day.ts'
import { bytesPerSpan, seedSpans } from './case-11-memory.ts'

const seconds = 120
const gigabytes = 1
const maxP99Ms = 100
/** The highest growth of memory that counts as none: what the collector has not returned yet comes and goes. */
const flat = 1.1
/** The exported day has records, too: an export begins at the first day of a log. */
const records = 4000
const dayMs = 24 * 3600 * 1000
/** Shares of the load, from the lowest, each for a short time and without an export. */
const steps = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3]
const stepSeconds = 20
/** A process that has just started compiles what it runs, and takes seconds for a quarter of the load. */
const warmUp = { factor: 0.25, seconds: 20 }

/** Everything that an installation does, at once, over ten tenants; then how much of it the machine takes. */
export async function box(postmaster: number): Promise<Figure[]> {
  const opened = await openBox()
  try {
    await runBox(opened, warmUp)
    return [...(await wholeLoad(opened, postmaster)), await howMuch(opened)]
  } finally {
    await opened.close()
  }
}

async function wholeLoad(opened: Box, postmaster: number): Promise<Figure[]> {
  const yesterday = new Date(Date.now() - dayMs).toISOString().slice(0, 10)
  await seedRecords(opened, yesterday)
  await seedSpans(opened.api, yesterday, Math.ceil((gigabytes * 1e9) / bytesPerSpan))
  const cpu = () => ({ server: cpuSeconds([opened.pid], []), database: cpuSeconds([postmaster], []) })
  const since = { ...cpu(), at: performance.now() }
  const memory: number[] = []
  const timer = setInterval(() => memory.push(ownMemoryMb(opened.pid)), 1000)
  const late = monitorEventLoopDelay({ resolution: 5 })
  late.enable()
  let used: { server: number; database: number } | undefined
  const secondsSince = () => (performance.now() - since.at) / 1000
  const exporting = exportDay(opened.api, yesterday).then((done) => ({ ...done, seconds: secondsSince() }))
  // Read after the load, whatever happens.
  exporting.catch(() => undefined)
  const outcome = await runBox(opened, {
    factor: 1,
    seconds,
    afterLoad() {
      clearInterval(timer)
      late.disable()
      const now = cpu()
      const took = secondsSince()
      used = { server: (now.server - since.server) / took, database: (now.database - since.database) / took }
    },
  }).finally(() => clearInterval(timer))
  const exported = await exporting
  const { loaded, executions, events, lost } = outcome
  const p50 = ({ times }: Tally) => `p50 ${number(quantile(times, 0.5))} ms`
  return [
    refusedFigure(outcome),
    p99Figure('calls', loaded.calls, {
      most: maxP99Ms,
      note: `${p50(loaded.calls)}; the generator was up to ${number(late.percentile(99) / 1e6)} ms late (p99)`,
    }),
    p99Figure('tokens', loaded.tokens, { note: p50(loaded.tokens) }),
    p99Figure('batches of 500 spans', loaded.spans, { note: p50(loaded.spans) }),
    p99Figure('starts of executions', loaded.executions, { note: p50(loaded.executions) }),
    noneFigure('executions that did not succeed', executions.failed, executions.all, {
      note: `from start to end: p50 ${number(quantile(executions.times, 0.5))} ms, p99 ${number(quantile(executions.times, 0.99))} ms`,
    }),
    noneFigure(`events that ${socketCount(opened)} live sockets did not get`, lost, events + lost),
    memoryFigure(memory),
    figure({
      case: 17,
      job: `box: one export of ${number(exported.payloadBytes / 1e6)} MB`,
      ours: `${number(exported.seconds)} s`,
      note: `cores used during the load: ${number(used?.server ?? Number.NaN)} by the server and its export, ${number(used?.database ?? Number.NaN)} by PostgreSQL`,
    }),
  ]
}

async function seedRecords({ api, owner, tenants: [tenant] }: Box, date: string): Promise<void> {
  if (tenant === undefined) throw new Error('The box has lost its tenants.')
  await owner.query('begin')
  // In one statement: the server signs whatever records it finds for a past day.
  await seedDay({ tenant, owner }, date, records, await cipherOfApi(api))
  await owner.query('commit')
}

/** Raises the load until something is refused or calls take too long. */
async function howMuch(opened: Box): Promise<Figure> {
  const seen: string[] = []
  let held = 0
  for (const factor of steps) {
    const { loaded, executions, refused } = await runBox(opened, { factor, seconds: stepSeconds })
    const [calls, ends] = [quantile(loaded.calls.times, 0.99), quantile(executions.times, 0.99)]
    seen.push(`${factor}×: ${number(calls)} ms (executions ${number(ends)} ms), ${refused} refused`)
    if (refused > 0 || !(calls <= maxP99Ms)) break
    held = factor
  }
  return figure({
    case: 17,
    job: `box: share of the load with a p99 of calls ≤ ${maxP99Ms} ms`,
    ours: `${held}×`,
    target: '≥ 1×',
    met: held >= 1 ? 'yes' : 'no',
    note: `without the export, ${stepSeconds} s each; p99: ${seen.join('; ')}`,
  })
}

function refusedFigure({ refused, calls, reasons }: Outcome): Figure {
  const each = `${rates.tokens} tokens, ${rates.calls} calls, ${number(rates.spans)} spans and ${rates.executions} executions a second for ${seconds} s`
  return noneFigure('refused', refused, calls, { note: [each, ...reasons.slice(0, 3)].join('; ') })
}

const noneFigure = (what: string, count: number, all: number, more: { note?: string } = {}): Figure =>
  figure({
    case: 17,
    job: `box: ${what}`,
    ours: `${number(count)} of ${number(all)}`,
    target: '0',
    met: count === 0 ? 'yes' : 'no',
    ...more,
  })

function p99Figure(what: string, { times }: Tally, { most, note }: { most?: number; note: string }): Figure {
  const p99 = quantile(times, 0.99)
  const target =
    most === undefined ? {} : { target: `≤ ${most} ms`, met: p99 <= most ? ('yes' as const) : ('no' as const) }
  return figure({ case: 17, job: `box: ${what}, p99`, ours: `${number(p99)} ms`, ...target, note })
}

/** The second quarter of the time compared with the last: in the first, caches fill. */
function memoryFigure(samples: readonly number[]): Figure {
  const quarter = Math.floor(samples.length / 4)
  const [early, late] = [median(samples.slice(quarter, 2 * quarter)), median(samples.slice(3 * quarter))]
  return figure({
    case: 17,
    job: 'box: growth of the server’s memory',
    ours: `${number(late / early)}×`,
    target: `≤ ${flat}×`,
    met: late / early <= flat ? 'yes' : 'no',
    note: `${number(early)} MB in the second quarter, ${number(late)} MB in the last, ${number(Math.max(...samples))} MB at most`,
  })
}
