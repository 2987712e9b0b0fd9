const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `20 Nov 2026, 14:20 UTC`: the zone is part of it. Throws a RangeError for an unknown zone or an invalid date. */
export function formatAbsolute(at: Date, zone: string): string {
  return `${parts(at, zone, { day: 'numeric', month: 'short', year: 'numeric' })}, ${formatClock(at, zone)}`
}

/** `14:20 UTC`. */
export function formatClock(at: Date, zone: string): string {
  return `${parts(at, zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })} ${zoneName(zone, at)}`
}

/** `UTC`, `CET` or `GMT+5:30`: what stands behind a time. */
export function zoneName(zone: string, at: Date): string {
  const formatted = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' }).formatToParts(at)
  return formatted.find((part) => part.type === 'timeZoneName')?.value ?? zone
}

/** `18 min ago`, `in 42 min`, `just now`; whole units, rounded towards now so that nothing expires early on screen. */
export function formatRelative(at: Date, now: number): string {
  const distance = at.getTime() - now
  const size = Math.abs(distance)
  if (size < MINUTE) return distance > 0 ? 'in less than a minute' : 'just now'
  const amount =
    size < HOUR ? unit(size, MINUTE, 'min') : size < 2 * DAY ? unit(size, HOUR, 'h') : unit(size, DAY, 'days')
  return distance > 0 ? `in ${amount}` : `${amount} ago`
}

function unit(size: number, length: number, name: string): string {
  return `${Math.floor(size / length)} ${name}`
}

function parts(at: Date, zone: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(at)
}
