import { cpuSeconds, isQuiet, machineSeconds, treeIds } from './procfs.ts'

/** The length of a run: rounds, milliseconds per segment of a round, and the largest size of a growing case. */
export type Pace = { rounds: number; segmentMs: number; full: boolean }

/** One of two sides that do the same work. */
export type Side = {
  name: string
  /** Processes whose trees do the work and are charged for it; by default this process. */
  processes?: readonly number[]
  /** Whether PostgreSQL is charged as well. */
  database: boolean
  /** Runs before each segment, unmeasured. */
  prepare?(): Promise<void>
  /** Works until `deadline` (performance.now()) or until nothing is left; returns the units of work done. */
  run(deadline: number): Promise<number>
}

export type Comparison = {
  /** Units of work per CPU-second: medians of the rounds. */
  ours: number
  peer: number
  /** ours ÷ peer: the median of the rounds, the lowest and the highest. */
  ratio: number
  spread: [number, number]
  /** Units of work per second of wall-clock time; meaningful only in comparison. */
  wall: { ours: number; peer: number }
  /** Rounds that fitted into the time. */
  rounds: number
  /** PostgreSQL's part of the CPU time, 0 to 1. */
  database: { ours: number; peer: number }
  /** Cores that other programs used during the run. */
  others: number
}

type Segment = { perCpu: number; perWall: number; database: number; others: number }

/** A comparison starts no further round after this multiple of its expected total time. */
const patience = 2

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The value in the middle (the upper one of two); NaN for none. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** A comparison that charges the PostgreSQL of `postmaster` (a process id) to the sides that use it. */
export function comparer(postmaster: number, pace: Pace) {
  /** Runs peer → ours → ours → peer, as often as the pace allows, after a warm-up of each. */
  return async function compare(peer: Side, ours: Side, changes: Partial<Pace> = {}): Promise<Comparison> {
    const { rounds, segmentMs } = { ...pace, ...changes }
    const giveUp = performance.now() + patience * pace.segmentMs * (4 * rounds + 2)
    const segment = (side: Side, other: Side) => withPaused(other, side, () => measure(side, segmentMs, postmaster))
    await segment(peer, ours)
    await segment(ours, peer)
    const found: { peer: Segment[]; ours: Segment[] }[] = []
    for (let round = 0; round < rounds && (round === 0 || performance.now() < giveUp); round++) {
      const first = await segment(peer, ours)
      const inner = [await segment(ours, peer), await segment(ours, peer)]
      found.push({ peer: [first, await segment(peer, ours)], ours: inner })
    }
    const of = (side: 'peer' | 'ours', field: keyof Segment) =>
      found.map((round) => mean(round[side].map((one) => one[field])))
    const ratios = of('ours', 'perCpu').map((value, index) => value / (of('peer', 'perCpu')[index] ?? Number.NaN))
    return {
      ours: median(of('ours', 'perCpu')),
      peer: median(of('peer', 'perCpu')),
      ratio: median(ratios),
      spread: [Math.min(...ratios), Math.max(...ratios)],
      wall: { ours: median(of('ours', 'perWall')), peer: median(of('peer', 'perWall')) },
      rounds: found.length,
      database: { ours: median(of('ours', 'database')), peer: median(of('peer', 'database')) },
      others: median([...of('ours', 'others'), ...of('peer', 'others')]),
    }
  }
}

/** Pauses the other side's processes with their children, so that their background work does not take from this side. */
async function withPaused<T>(paused: Side, running: Side, work: () => Promise<T>): Promise<T> {
  const shared = running.processes ?? []
  const pids = treeIds(
    (paused.processes ?? []).filter((pid) => !shared.includes(pid)),
    shared,
  )
  for (const pid of pids) signal(pid, 'SIGSTOP')
  try {
    return await work()
  } finally {
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
}

/** A process that has ended since it was listed needs no signal. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function measure(side: Side, segmentMs: number, postmaster: number): Promise<Segment> {
  await side.prepare?.()
  const read = () => ({
    processes: cpuSeconds(side.processes ?? [process.pid], [postmaster]),
    database: side.database ? cpuSeconds([postmaster], []) : 0,
    whole: cpuSeconds([process.pid, postmaster], []),
    machine: machineSeconds(),
  })
  const before = read()
  const began = performance.now()
  const done = await side.run(began + segmentMs)
  const seconds = (performance.now() - began) / 1000
  const after = read()
  const database = after.database - before.database
  // At least one tick, the smallest measurable time.
  const charged = Math.max(after.processes - before.processes + database, 0.01)
  return {
    perCpu: done / charged,
    perWall: done / seconds,
    database: database / charged,
    others: Math.max(0, after.machine - before.machine - (after.whole - before.whole)) / seconds,
  }
}

/** Milliseconds of `count` calls one after the other: median and 99th percentile. Undefined unless the machine is idle before and after. */
export async function latency(
  count: number,
  once: () => Promise<unknown>,
): Promise<{ p50: number; p99: number } | undefined> {
  if (!(await isQuiet())) return undefined
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const began = performance.now()
    await once()
    times.push(performance.now() - began)
  }
  // A neighbour that started during the run affects the figures.
  if (!(await isQuiet())) return undefined
  times.sort((a, b) => a - b)
  return { p50: times[Math.floor(count * 0.5)] ?? Number.NaN, p99: times[Math.floor(count * 0.99)] ?? Number.NaN }
}
