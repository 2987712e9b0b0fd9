import { startsOfDays } from '#lib/rules/home/days.ts'
import { figureDays } from '#lib/schemas/home/overview.ts'
import type { Day } from './figures-store.ts'

const dayMs = 86_400_000

/** The days of the figures in a zone. Today ends in the future. */
export function figureDaysIn(timeZone: string, now: Date): Day[] {
  const starts = startsOfDays(now, timeZone, figureDays)
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? new Date(from.getTime() + 2 * dayMs) }))
}
