/** The period that an export covers. `custom` has a first and a last day. */
export type Preset = 'today' | 'week' | 'custom'
/** Values of date inputs: `YYYY-MM-DD`, or '' while empty. Both days are in UTC and included in the period. */
export type CustomDays = { first: string; last: string }

/** [startDate, endDate) in the API's format: ISO 8601 in UTC. */
export type Range = { startDate: string; endDate: string }
export type RangeProblem = { field: 'first' | 'last'; message: string }

const DAY_MS = 86_400_000

/** Returns the chosen period, or the problem with it. Days are UTC days, as in the audit log. */
export function rangeOf(preset: Preset, custom: CustomDays, now: number): Range | RangeProblem {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  switch (preset) {
    case 'today':
      return between(today, today)
    case 'week':
      return between(today - 6 * DAY_MS, today)
    case 'custom':
      return customRange(custom, today)
  }
}

function customRange({ first, last }: CustomDays, today: number): Range | RangeProblem {
  const from = dayOf(first)
  const to = dayOf(last)
  if (from === undefined) return { field: 'first', message: 'Enter the first day.' }
  if (to === undefined) return { field: 'last', message: 'Enter the last day.' }
  if (to < from) return { field: 'last', message: 'Choose a last day that is not before the first day.' }
  if (from > today) return { field: 'first', message: 'This day has not started yet in UTC. Choose an earlier one.' }
  return between(from, to)
}

/** Days as epoch milliseconds of their midnight, both inclusive. */
const between = (first: number, last: number): Range => ({
  startDate: new Date(first).toISOString(),
  endDate: new Date(last + DAY_MS).toISOString(),
})

/** Returns epoch milliseconds. Years have four digits, as the API requires. */
function dayOf(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some engines parse 31 February as a day in March.
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  return exists && time >= 0 ? time : undefined
}

/** Whether the period includes today. If so, its proofs end at the latest signed checkpoint. */
export const touchesToday = ({ endDate }: Range, now: number): boolean => Date.parse(endDate) > now
