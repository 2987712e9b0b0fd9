import { Broken, type Json, member, textMember } from './bytes.ts'
import type { SeenRecord } from './log.ts'

// What the manifest states about the rows: at which records of the log they were read, and which of them are bound to it.

/** The part of the log whose effects the rows show. */
export type AsOf = { date: string; size: number }[]

/** Whether the service had bound all rows to the log when it made the archive. */
export const allBoundIn = (manifest: Json): boolean => member(member(manifest, 'rows') ?? null, 'allBound') === true

/** Whether the same is true of the spans of executions. */
export const spansBoundIn = (manifest: Json): boolean =>
  allBoundIn(manifest) && member(member(manifest, 'rows') ?? null, 'spansBound') === true

/** Whether the archive has the steps of executions. */
export const stepsIn = (manifest: Json): boolean => member(member(manifest, 'rows') ?? null, 'steps') === true

/** Whether the archive has what its spans of telemetry are compared with. */
export const comparableSpans = (manifest: Json): boolean =>
  member(member(manifest, 'rows') ?? null, 'spansBound') !== undefined

/** When the rows were read, as the manifest states it; undefined in archives of versions that did not state it. */
export function asOfIn(manifest: Json): AsOf | undefined {
  const rows = member(manifest, 'rows')
  if (rows === undefined) return undefined
  const days = member(rows, 'asOf')
  if (!Array.isArray(days)) throw new Broken('The manifest does not state when the rows were read.')
  return days.map((day) => {
    const [date, size] = [textMember(day, 'date', 'A day in the manifest'), member(day, 'size')]
    if (typeof size !== 'number') throw new Broken('A day in the manifest is malformed.')
    return { date, size }
  })
}

/** The rows were read while the archive was made, which takes less time than this; clocks may differ. */
const mostBeforeSealMs = 24 * 3600 * 1000

/**
 * Throws Broken for a border that can't be the one at which the rows were read: it would let an archive leave out what the
 * records after it did.
 */
export function checkBorder(asOf: AsOf, days: readonly { date: string; size: number }[]): void {
  for (const [index, { date, size }] of asOf.entries()) {
    const before = asOf[index - 1]
    if (before !== undefined && before.date >= date)
      throw new Broken('The days at which the rows were read are not in order.')
    const day = days.find((one) => one.date === date)
    if (size < 0 || !Number.isSafeInteger(size) || (day !== undefined && size > day.size))
      throw new Broken(`The rows can’t have been read at record ${size} of ${date}.`)
  }
  const [first, last] = [asOf[0]?.date ?? '', asOf.at(-1)?.date ?? '']
  for (const { date } of days)
    if (date > first && date < last && asOf.every((one) => one.date !== date))
      throw new Broken(`The rows were read between ${first} and ${last}, but not at a record of ${date}.`)
}

/** Throws Broken for a record after the border that is older than the making of the archive. */
export function checkAfterBorder({ record, seq, date }: SeenRecord, sealedAt: string): void {
  const at = member(record, 'at')
  if (typeof at !== 'string' || !(Date.parse(at) >= Date.parse(sealedAt) - mostBeforeSealMs))
    throw new Broken(
      `The rows were read before record ${seq} of ${date}, more than a day before the archive was sealed.`,
    )
}

/** Whether a record was written before the rows were read. */
export function isBefore(asOf: AsOf | undefined, { date, seq }: Pick<SeenRecord, 'date' | 'seq'>): boolean {
  if (asOf === undefined) return true
  const open = asOf.find((day) => day.date === date)
  // The other days before the first open one were closed.
  return open === undefined ? asOf.every((day) => date < day.date) : seq < open.size
}

/** The last record that the rows know. */
export function whenRead(asOf: AsOf | undefined): string {
  const last = asOf?.at(-1)
  if (last === undefined) return ''
  return last.size === 0
    ? `, before the first record of ${last.date}`
    : `, up to record ${last.size - 1} of ${last.date}`
}
