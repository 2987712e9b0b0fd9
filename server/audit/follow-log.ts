import type { Transaction } from '#server/kernel/db/database.ts'
import type { ChangeRecord } from './change-record.ts'
import { after, dayBefore, type Position, startingPosition } from './position.ts'
import { lastDays, recentRecords, recordsAfter } from './records-store.ts'

/** A reader that is further behind than this many records gets none of them. */
const maxRecords = 500
/** A new reader begins with the records of this time. */
const overlapSeconds = 10

/** The records between the two positions; undefined if there are too many. */
export type Followed = { from: Position; position: Position; records: ChangeRecord[] | undefined }

/** Returns the records appended to the tenant's log since `position`, or without one, during the last seconds. */
export async function followLog(tx: Transaction, tenantId: string, position?: Position): Promise<Followed> {
  const head = position ?? (await headOfLog(tx, tenantId))
  const records =
    position === undefined
      ? await recentRecords(tx, tenantId, overlapSeconds, maxRecords + 1)
      : await readRecords(tx, tenantId, position)
  const [first] = records
  const from = position ?? (first === undefined ? head : placeOf(first, head))
  if (tooMany(records)) return { from, position: await headOfLog(tx, tenantId), records: undefined }
  return { from, position: records.reduce(after, head), records }
}

/** The records after the position, or as many as `tooMany` rejects. */
export const readRecords = (tx: Transaction, tenantId: string, position: Position): Promise<ChangeRecord[]> =>
  recordsAfter(tx, tenantId, position, maxRecords + 1)

/** Whether a reader is so far behind that it gets none of them. */
export const tooMany = (records: readonly ChangeRecord[]): boolean => records.length > maxRecords

/** Returns the position right before a record. The size of the preceding day is only known for the day of the head. */
const placeOf = ({ date, seq }: ChangeRecord, head: Position): Position => ({
  date,
  seen: seq,
  before: date === head.date ? head.before : 0,
})

/** Returns the position at the end of the tenant's log. */
export async function headOfLog(tx: Transaction, tenantId: string): Promise<Position> {
  const [last, other] = await lastDays(tx, tenantId)
  if (last === undefined) return startingPosition(undefined)
  const before = other?.date === dayBefore(last.date) ? other.size : 0
  return { date: last.date, seen: last.size, before }
}
