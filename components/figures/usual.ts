/** Between these lie eight of ten earlier days. */
export type Usual = { low: number; high: number }

/** Fewer days say nothing about what is usual. */
const fewestDays = 5

/** What is usual by the days before the last one; null for a day without a figure. */
export function usualOf(days: readonly (number | null)[]): Usual | undefined {
  const earlier = days.slice(0, -1).filter((day) => day !== null)
  if (earlier.length < fewestDays) return undefined
  const sorted = earlier.sort((one, other) => one - other)
  return { low: at(sorted, 0.1), high: at(sorted, 0.9) }
}

/** The value below which this share of the sorted values lies, between two of them if necessary. */
function at(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0]
  return below + (above - below) * (place - Math.floor(place))
}
