import * as t from '#components/texts/evidence/en.ts'
import { formatAbsolute, formatDay } from '#components/ui/text/time-format.ts'

const DAY_MS = 86_400_000

type Period = { startDate: string; endDate: string }

/** A period [start, end) in UTC: as days if it consists of whole days, else to the minute. */
export function formatPeriod({ startDate, endDate }: Period): string {
  const start = Date.parse(startDate)
  const end = Date.parse(endDate)
  if (start % DAY_MS !== 0 || end % DAY_MS !== 0)
    return t.upTo({ start: formatAbsolute(new Date(start), 'UTC'), end: formatAbsolute(new Date(end), 'UTC') })
  const first = formatDay(new Date(start), 'UTC')
  const last = formatDay(new Date(end - DAY_MS), 'UTC')
  return first === last ? `${first} (UTC)` : t.firstToLast({ first, last })
}

/** Whether only a part of the period is covered. */
export const isCut = (asked: Period, covered: Period): boolean =>
  Date.parse(covered.startDate) > Date.parse(asked.startDate) || Date.parse(covered.endDate) < Date.parse(asked.endDate)
