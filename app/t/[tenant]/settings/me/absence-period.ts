import { longestDelegationDays } from '#lib/rules/delegations.ts'

/** The values of two date inputs: `YYYY-MM-DD`, or '' if empty. Days are in UTC, and both are included. */
export type Days = { first: string; last: string }

/** The period as the API expects it. Without `from`, it begins now. */
export type Period = { from?: string; until: string }
export type PeriodProblem = { field: 'first' | 'last'; message: string }

const DAY_MS = 86_400_000

/** Returns the period of an absence, or the problem with its days. */
export function periodOf({ first, last }: Days, now: number): Period | PeriodProblem {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const from = dayOf(first)
  const to = dayOf(last)
  if (from === undefined) return { field: 'first', message: 'Enter the first day.' }
  if (from < today) return { field: 'first', message: 'The first day is in the past (UTC).' }
  if (to === undefined) return { field: 'last', message: 'Enter the last day.' }
  if (to < from) return { field: 'last', message: 'The last day is before the first day.' }
  const end = to + DAY_MS
  if (end - from > longestDelegationDays * DAY_MS)
    return { field: 'last', message: `An absence can last up to ${longestDelegationDays} days.` }
  const until = new Date(end).toISOString()
  return from === today ? { until } : { from: new Date(from).toISOString(), until }
}

function dayOf(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some engines parse 31 February as a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? time : undefined
}
