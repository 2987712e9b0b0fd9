import * as language from '#components/texts/language/en.ts'
import * as t from '#components/texts/ui/en.ts'
import { dateFormat } from '#lib/formatters.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `20 Nov 2026, 14:20 UTC`: always with its zone. Throws a RangeError for an unknown zone or an invalid date. */
export function formatAbsolute(at: Date, zone: string): string {
  return t.dayAndTime({ day: formatDay(at, zone), time: formatClock(at, zone) })
}

/** `20 Nov 2026, 14:20:07 UTC`. */
export function formatSeconds(at: Date, zone: string): string {
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  return t.dayAndTime({ day: formatDay(at, zone), time: `${parts(at, zone, clock)} ${zoneName(zone, at)}` })
}

/** `20 Nov 2026`. */
export const formatDay = (at: Date, zone: string): string =>
  parts(at, zone, { day: 'numeric', month: 'short', year: 'numeric' })

/** A day of the log, `2026-11-20`, as `20 Nov 2026`. */
export const formatUtcDay = (date: string): string => formatDay(new Date(date), 'UTC')

/** `20 Nov`. */
export const formatShortDay = (at: Date, zone: string): string => parts(at, zone, { day: 'numeric', month: 'short' })

export const isSameDay = (one: Date, other: Date, zone: string): boolean =>
  formatDay(one, zone) === formatDay(other, zone)

/** `14:20 UTC`. */
export function formatClock(at: Date, zone: string): string {
  return `${parts(at, zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })} ${zoneName(zone, at)}`
}

/** `14:20`, where the zone is known from the context. */
export const formatShortClock = (at: Date, zone: string): string =>
  parts(at, zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** `UTC`, `CET` or `GMT+5:30`: the suffix of a time. */
export function zoneName(zone: string, at: Date): string {
  const formatted = dateFormat(language.dates, { timeZone: zone, timeZoneName: 'short' }).formatToParts(at)
  return formatted.find((part) => part.type === 'timeZoneName')?.value ?? zone
}

/** `18 min ago`, `in 1 h 20 min`, `just now`. Rounded down, so that the remaining time is never overstated. */
export function formatRelative(at: Date, now: number): string {
  const distance = at.getTime() - now
  const size = Math.abs(distance)
  if (size < MINUTE) return distance > 0 ? t.soon : t.justNow
  return distance > 0 ? t.ahead({ amount: amount(size) }) : t.ago({ amount: amount(size) })
}

function amount(size: number): string {
  if (size < HOUR) return t.minutes({ minutes: Math.floor(size / MINUTE) })
  // 72 hours read as hours until they are over, because the days are rounded down.
  if (size >= 3 * DAY) return t.days({ days: Math.floor(size / DAY) })
  const hours = Math.floor(size / HOUR)
  const minutes = size < DAY ? Math.floor((size % HOUR) / MINUTE) : 0
  return minutes === 0 ? t.hours({ hours }) : t.hoursAndMinutes({ hours, minutes })
}

function parts(at: Date, zone: string, options: Intl.DateTimeFormatOptions): string {
  return dateFormat(language.dates, { ...options, timeZone: zone }).format(at)
}
