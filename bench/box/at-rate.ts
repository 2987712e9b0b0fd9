import { setTimeout as delay } from 'node:timers/promises'

/** What happened to the calls of one kind. */
export type Tally = {
  calls: number
  /** Calls that were not done: what was answered instead → how often. */
  refused: Map<string, number>
  /** Milliseconds of each call that was done, from when it was due, so that a server that stalls can't hide what waits. */
  times: number[]
}

/**
 * Begins a call each 1/`perSecond` s for `seconds`, whatever the answers take, and waits for all of them. `once` resolves with undefined, or
 * with what was answered instead. Calls that are due while this process is busy begin late, and their time counts from when they were due.
 */
export async function atRate(
  perSecond: number,
  seconds: number,
  once: (index: number) => Promise<string | undefined>,
): Promise<Tally> {
  const tally: Tally = { calls: Math.round(perSecond * seconds), refused: new Map(), times: [] }
  const began = performance.now()
  const dueAt = (index: number) => began + (index * 1000) / perSecond
  const open: Promise<void>[] = []
  const begin = async (index: number) => {
    const answer = await once(index)
    if (answer === undefined) tally.times.push(performance.now() - dueAt(index))
    else tally.refused.set(answer, (tally.refused.get(answer) ?? 0) + 1)
  }
  for (let index = 0; index < tally.calls; index++) {
    const wait = dueAt(index) - performance.now()
    // Timers have whole milliseconds.
    if (wait >= 1) await delay(wait)
    open.push(begin(index))
  }
  await Promise.all(open)
  return tally
}

/** Several kinds as one. */
export function together(tallies: readonly Tally[]): Tally {
  const sum: Tally = { calls: 0, refused: new Map(), times: [] }
  for (const { calls, refused, times } of tallies) {
    sum.calls += calls
    for (const [answer, count] of refused) sum.refused.set(answer, (sum.refused.get(answer) ?? 0) + count)
    sum.times = sum.times.concat(times)
  }
  return sum
}

/** The value that `share` of all values don't exceed; NaN for none. */
export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN
