/** Which period an export covers. `custom` is given by its first and last day. */
export type Preset = 'today' | 'week' | 'custom'
/** As a date input gives them: `YYYY-MM-DD`, or '' while empty. Both days are in UTC and inside of the period. */
export type CustomDays = { first: string; last: string }

/** [startDate, endDate), as the API takes it: ISO 8601 in UTC. */
export type Range = { startDate: string; endDate: string }
export type RangeProblem = { field: 'first' | 'last'; message: string }

const DAY_MS = 86_400_000

/** The period that was chosen, or what is wrong with it. Days are UTC days, like those of the audit log. */
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
  if (from === undefined) return { field: 'first', message: 'Give the first day.' }
  if (to === undefined) return { field: 'last', message: 'Give the last day.' }
  if (to < from) return { field: 'last', message: 'The last day is before the first one.' }
  if (from > today) return { field: 'first', message: 'This day has not begun yet in UTC.' }
  return between(from, to)
}

/** Days as epoch milliseconds of their midnight, both inclusive. */
const between = (first: number, last: number): Range => ({
  startDate: new Date(first).toISOString(),
  endDate: new Date(last + DAY_MS).toISOString(),
})

/** Years of four digits only: what the API takes. */
function dayOf(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some engines read 31 February as a day of March.
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  return exists && time >= 0 ? time : undefined
}

/** Whether today is in it, which is not over: then the latest signed checkpoint bounds what is proven. */
export const touchesToday = ({ endDate }: Range, now: number): boolean => Date.parse(endDate) > now
