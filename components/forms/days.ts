import * as t from '#components/texts/form-days/en.ts'

/** Values of date inputs: `YYYY-MM-DD`, or '' while empty. Days are in UTC, and both are included. */
export type Days = { first: string; last: string }
export type DaysProblem = { field: keyof Days; message: string }

export const dayMs = 86_400_000

/** Returns the midnight of both days in epoch milliseconds, or the problem with them. `whyNot` may refuse the first day. */
export function parseDays(
  { first, last }: Days,
  whyNot: (first: number) => string | undefined,
): { from: number; to: number } | DaysProblem {
  const from = midnightOf(first)
  if (from === undefined) return { field: 'first', message: t.enterFirstDay }
  const refused = whyNot(from)
  if (refused !== undefined) return { field: 'first', message: refused }
  const to = midnightOf(last)
  if (to === undefined) return { field: 'last', message: t.enterLastDay }
  if (to < from) return { field: 'last', message: t.lastBeforeFirst }
  return { from, to }
}

/** Years have four digits, as the API requires. */
function midnightOf(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some engines parse 31 February as a day in March.
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  return exists && time >= 0 ? time : undefined
}
