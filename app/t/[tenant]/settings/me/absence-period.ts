import { longestDelegationDays } from '#lib/rules/delegations.ts'

/** As date inputs give them: `YYYY-MM-DD`, or '' while empty; days in UTC, both included. */
export type Days = { first: string; last: string }

/** As the API takes it; without `from` it begins now. */
export type Period = { from?: string; until: string }
export type PeriodProblem = { field: 'first' | 'last'; message: string }

const DAY_MS = 86_400_000

/** The time of an absence, or what is wrong with its days. */
export function periodOf({ first, last }: Days, now: number): Period | PeriodProblem {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const from = dayOf(first)
  const to = dayOf(last)
  if (from === undefined) return { field: 'first', message: 'Give the first day.' }
  if (from < today) return { field: 'first', message: 'The first day is over already in UTC.' }
  if (to === undefined) return { field: 'last', message: 'Give the last day.' }
  if (to < from) return { field: 'last', message: 'The last day is before the first one.' }
  const end = to + DAY_MS
  if (end - from > longestDelegationDays * DAY_MS)
    return { field: 'last', message: `An absence lasts ${longestDelegationDays} days at most.` }
  const until = new Date(end).toISOString()
  return from === today ? { until } : { from: new Date(from).toISOString(), until }
}

function dayOf(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some engines read 31 February as a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? time : undefined
}
