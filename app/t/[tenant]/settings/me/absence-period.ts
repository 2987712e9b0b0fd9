import { type Days, type DaysProblem, dayMs, parseDays } from '#components/forms/days.ts'
import * as t from '#components/texts/settings-me/en.ts'
import { longestDelegationDays } from '#lib/rules/delegations.ts'

/** The period as the API expects it. Without `from`, it begins now. */
export type Period = { from?: string; until: string }

/** Returns the period of an absence, or the problem with its days. */
export function periodOf(days: Days, now: number): Period | DaysProblem {
  const today = Math.floor(now / dayMs) * dayMs
  const parsed = parseDays(days, (first) => (first < today ? t.thisDayHasAlready : undefined))
  if ('field' in parsed) return parsed
  const { from, to } = parsed
  const end = to + dayMs
  if (end - from > longestDelegationDays * dayMs)
    return { field: 'last', message: t.absenceCanLastUp({ longestDelegationDays }) }
  const until = new Date(end).toISOString()
  return from === today ? { until } : { from: new Date(from).toISOString(), until }
}
