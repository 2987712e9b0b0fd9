import { Broken, type Json, member } from './bytes.ts'
import type { Day } from './log.ts'
import type { Note } from './note.ts'
import { type About, NotChecked } from './report.ts'

// Days without gaps: from the first day of the tenant's log, or of the period, to the last one that the archive covers.

const dayLength = 24 * 3600 * 1000
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** What the log itself says of where it begins: places in the log of closed days, and the record of the tenant's creation. */
export type Beginning = {
  /** The place of a closed day in the log of closed days, which has every day since the first. */
  places: Map<string, number>
  /** The day with the record that the tenant was created. */
  created: string | undefined
}

/** The first day of the tenant's log, as the signed logs show it; undefined when nothing in the archive shows it. */
export function firstDay({ places, created }: Beginning): string | undefined {
  let first: string | undefined
  for (const [date, index] of places) {
    const shown = dateOf(Date.parse(date) - index * dayLength)
    if (first !== undefined && shown !== first)
      throw new Broken(`${date} is not at its place in the log of closed days: a day is missing or was added.`)
    first = shown
  }
  return first ?? created
}

/** The last time that has a date, in milliseconds; a head of any size may be signed. */
const mostTime = 8.64e15
const latest = '9999-12-31'

/** The last day in a log of closed days, by the place of any other; undefined when the archive shows none. */
export function lastClosed({ places }: Beginning, seals: Note | undefined): string | undefined {
  const [known] = places
  if (known === undefined || seals === undefined) return undefined
  const [date, index] = known
  const time = Date.parse(date) + (seals.size - 1 - index) * dayLength
  return Math.abs(time) < mostTime ? dateOf(time) : undefined
}

/** An archive is made in less time than this, and the service closes a day within seconds of its end; clocks may differ. */
const mostOpenMs = dayLength

/** Whether a day was over so long before the archive was sealed that the service would normally have closed it. */
export const isLate = (date: string, sealedAt: string): boolean =>
  !(Date.parse(date) + dayLength + mostOpenMs > Date.parse(sealedAt))

/** Open days that should be in the log of closed days, because they were over for long or because its head contains them. */
export function lateDays(days: readonly Day[], sealedAt: string, places: Beginning['places'], seals: Note | undefined) {
  const closed = days.findLast(({ open }) => !open)?.date ?? ''
  const index = places.get(closed)
  // The days that follow a closed day follow it in the log of closed days, too.
  const time =
    index === undefined || seals === undefined ? undefined : Date.parse(closed) + (seals.size - 1 - index) * dayLength
  const contained = time === undefined ? closed : Math.abs(time) < mostTime ? dateOf(time) : latest
  return days
    .filter(({ date, open }) => open && (isLate(date, sealedAt) || date <= contained))
    .map(({ date }) => ({ date, late: isLate(date, sealedAt), contained: date <= contained }))
}

/**
 * Open days need not be proved to the log of closed days. Broken for one that the archive's head of that log contains, unless the day
 * ended while the archive was made: earlier versions read the days first and then the head.
 */
export function checkLateDays(found: ReturnType<typeof lateDays>): string {
  const hidden = found.find(({ late, contained }) => late && contained)
  if (hidden !== undefined)
    throw new Broken(
      `${hidden.date} is open in the archive, although its head of the log of closed days contains that day.`,
    )
  const [first] = found
  const days = found.length === 1 ? first?.date : `${first?.date} and ${found.length - 1} more days`
  throw new NotChecked(
    `${days} ended before the archive was sealed and could be closed since. Whether the log of closed days has the same records, nothing in the archive shows. Export the period again.`,
  )
}

/** Every day from the beginning of the period to its end is there, once, and only the newest ones are open. */
export function checkDays(days: readonly Day[], about: About, beginning: Beginning): string {
  for (const [index, { date, open }] of days.entries()) {
    const before = days[index - 1]
    if (before === undefined) continue
    if (Date.parse(date) !== Date.parse(before.date) + dayLength)
      throw new Broken(`Between ${before.date} and ${date} the archive lacks days, or has one twice.`)
    if (before.open && !open) throw new Broken(`${before.date} is open, although a later day is closed.`)
  }
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) throw new Broken('The archive lacks the log.')
  const [start, end] = [Date.parse(about.period.start), Date.parse(about.period.end)]
  if (last.date !== dateOf(end - 1))
    throw new Broken(`The period ends on ${dateOf(end - 1)}, the days on ${last.date}.`)
  if (first.date !== dateOf(start)) {
    throw new Broken(`The period begins on ${dateOf(start)}, the days on ${first.date}.`)
  }
  checkRequest(about, beginning)
  return days.length === 1
    ? `The log of ${first.date} is here.`
    : `Every day from ${first.date} to ${last.date} is here.`
}

/** A period that is shorter than the request was cut at the beginning or the end of the log, and nowhere else. */
function checkRequest({ period, requested, sealedAt }: About, beginning: Beginning): void {
  if (requested === undefined) return
  const [start, end] = [Date.parse(period.start), Date.parse(period.end)]
  if (Date.parse(requested.start) > start || Date.parse(requested.end) < end)
    throw new Broken('The archive covers another period than was requested.')
  if (Date.parse(requested.end) > end && Math.abs(Date.parse(sealedAt) - end) > dayLength)
    throw new Broken('The period ends before the requested one, and not at the time of the archive.')
  if (Date.parse(requested.start) === start) return
  const known = firstDay(beginning)
  if (known === undefined)
    throw new NotChecked('The archive does not show that the log begins where its period begins.')
  if (dateOf(start) !== known) throw new Broken(`The log begins on ${known}, the archive’s period on ${dateOf(start)}.`)
}

/** Days of which the period covers only a part: whether all records of that part are here, nothing in them can show. */
export function partialDays(days: readonly Day[], { period, requested }: About): string[] {
  const [start, end] = [Date.parse(period.start), Date.parse(period.end)]
  const cutAtStart = requested !== undefined && Date.parse(requested.start) < start
  const cutAtEnd = requested !== undefined && Date.parse(requested.end) > end
  return days
    .filter(({ date }) => {
      const midnight = Date.parse(date)
      return (start > midnight && !cutAtStart) || (end < midnight + dayLength && !cutAtEnd)
    })
    .map(({ date }) => date)
}

/** What an archive is limited to, in words; undefined for one that has everything in its period. */
export function scopeOf(manifest: Json): string | undefined {
  const scope = member(manifest, 'scope')
  if (typeof scope !== 'object' || scope === null || Array.isArray(scope)) return undefined
  return Object.entries(scope)
    .map(([name, id]) => `the ${name.replace(/Id$/, '')} ${String(id)}`)
    .join(', ')
}
