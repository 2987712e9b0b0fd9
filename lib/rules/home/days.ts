import { dateFormat } from '#lib/formatters.ts'

const hourMs = 3_600_000

export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The moments at which the last `count` days began in a zone, the oldest first; the last one is the day of `now`. */
export function startsOfDays(now: Date, zone: string, count: number): Date[] {
  const clock = clockOf(zone)
  const { year, month, day } = partsOf(clock, now)
  return Array.from({ length: count }, (_, index) =>
    startOfDay(clock, Date.UTC(year, month - 1, day - (count - 1 - index))),
  )
}

/** The moment at which the clock of the zone shows the midnight that `utc` has in UTC; with a change of the clock then, the next moment. */
function startOfDay(clock: Intl.DateTimeFormat, utc: number): Date {
  const once = utc - offsetAt(clock, utc)
  const found = utc - offsetAt(clock, once)
  // The clock skips this midnight: the day begins an hour later.
  return new Date(offsetAt(clock, found) + found < utc ? found + hourMs : found)
}

/** What the clock of the zone is ahead of UTC, in milliseconds. */
function offsetAt(clock: Intl.DateTimeFormat, at: number): number {
  const { year, month, day, hour, minute, second } = partsOf(clock, new Date(at))
  return Date.UTC(year, month - 1, day, hour, minute, second) - at
}

const clockOf = (timeZone: string) =>
  dateFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })

function partsOf(clock: Intl.DateTimeFormat, at: Date) {
  const found = new Map(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes): number => found.get(type) ?? 0
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  }
}
