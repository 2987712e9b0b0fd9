/** A period without events, drawn narrower than its duration. Times are epoch milliseconds; `x` and `width` are fractions of the axis. */
export type Fold = { from: number; to: number; x: number; width: number }

export type TimeAxis = {
  from: number
  to: number
  folds: Fold[]
  /** Returns the position of a time on the axis, from 0 to 1. */
  place: (time: number) => number
}

/** Width of each folded period, as a fraction of the axis. */
const FOLD_WIDTH = 0.08
const MAX_FOLDS = 4
/** A period is folded if it is more than this fraction of the time that is not folded yet. */
const FOLD_FROM = 0.5
const SHORTEST_FOLD_MS = 2000

/**
 * An axis for the times at which spans begin and end. A trace that waits an hour for a person and works for 20 ms would
 * show only the hour. Long periods without events are folded and labelled with their duration.
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

/** In chronological order. */
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
    // If nothing else remains, folding would not gain any room.
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
