/** A stretch in which nothing begins or ends, drawn narrower than it is. Times are epoch milliseconds; `x` and `width` shares of the axis. */
export type Fold = { from: number; to: number; x: number; width: number }

export type TimeAxis = {
  from: number
  to: number
  folds: Fold[]
  /** Where a time stands on the axis, from 0 to 1. */
  place: (time: number) => number
}

/** Of the axis, for each folded stretch. */
const FOLD_WIDTH = 0.08
const MAX_FOLDS = 4
/** A stretch is folded when it takes more than this part of what is not folded yet. */
const FOLD_FROM = 0.5
const SHORTEST_FOLD_MS = 2000

/**
 * An axis for the times at which spans begin and end. A trace that waits an hour for a person and works for 20 ms would
 * show nothing but the hour: the long stretches without an event are folded, and say how long they are.
 */
export function timeAxis(times: Iterable<number>): TimeAxis {
  const sorted = Float64Array.from(times).sort()
  const from = sorted[0] ?? 0
  const to = sorted.at(-1) ?? from
  const gaps = longestGaps(sorted, to - from)
  const unfolded = to - from - gaps.reduce((sum, gap) => sum + (gap.to - gap.from), 0)
  const scale = unfolded === 0 ? 0 : (1 - gaps.length * FOLD_WIDTH) / unfolded
  let before = 0
  const folds = gaps.map((gap, index): Fold => {
    const x = (gap.from - from - before) * scale + index * FOLD_WIDTH
    before += gap.to - gap.from
    return { ...gap, x, width: FOLD_WIDTH }
  })
  return { from, to, folds, place: (time) => placeOf(time, from, to, folds, scale) }
}

type Gap = { from: number; to: number }

/** In the order of time. */
function longestGaps(sorted: Float64Array, total: number): Gap[] {
  const candidates: Gap[] = []
  for (let index = 1; index < sorted.length; index++) {
    const gap = { from: sorted[index - 1] ?? 0, to: sorted[index] ?? 0 }
    if (gap.to - gap.from >= SHORTEST_FOLD_MS) candidates.push(gap)
  }
  candidates.sort((a, b) => b.to - b.from - (a.to - a.from))
  let rest = total
  const folded: Gap[] = []
  for (const gap of candidates.slice(0, MAX_FOLDS)) {
    const length = gap.to - gap.from
    // With nothing left beside it there is nothing to make room for.
    if (length < rest * FOLD_FROM || length === rest) break
    rest -= length
    folded.push(gap)
  }
  return folded.sort((a, b) => a.from - b.from)
}

function placeOf(time: number, from: number, to: number, folds: readonly Fold[], scale: number): number {
  const clamped = Math.min(to, Math.max(from, time))
  let x = 0
  let since = from
  for (const fold of folds) {
    if (clamped <= fold.from) break
    x = fold.x
    if (clamped < fold.to) return x + ((clamped - fold.from) / (fold.to - fold.from)) * fold.width
    x += fold.width
    since = fold.to
  }
  return Math.min(1, x + (clamped - since) * scale)
}
