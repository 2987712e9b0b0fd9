import { type Days, type DaysProblem, dayMs, parseDays } from '#components/forms/days.ts'
import * as t from '#components/texts/evidence/en.ts'

/** The period that an export covers. `same`: that of an earlier export. `custom` has a first and a last day. */
export type Preset = 'same' | 'today' | 'week' | 'custom'

/** [startDate, endDate) in the API's format: ISO 8601 in UTC. */
export type Range = { startDate: string; endDate: string }

/** Returns the chosen period, or the problem with it. Days are UTC days, as in the audit log. */
export function rangeOf(
  preset: Preset,
  { custom, same, now }: { custom: Days; same: Range | undefined; now: number },
): Range | DaysProblem {
  const today = Math.floor(now / dayMs) * dayMs
  switch (preset) {
    case 'same':
      return same ?? between(today, today)
    case 'today':
      return between(today, today)
    case 'week':
      return between(today - 6 * dayMs, today)
    case 'custom': {
      const days = parseDays(custom, (first) => (first > today ? t.thisDayHasNot : undefined))
      return 'field' in days ? days : between(days.from, days.to)
    }
  }
}

/** Days as epoch milliseconds of their midnight, both inclusive. */
const between = (first: number, last: number): Range => ({
  startDate: new Date(first).toISOString(),
  endDate: new Date(last + dayMs).toISOString(),
})

/** Whether the period includes today. If so, its proofs end at the latest signed checkpoint. */
export const touchesToday = ({ endDate }: Range, now: number): boolean => Date.parse(endDate) > now
