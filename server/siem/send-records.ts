import { isJsonObject } from '#lib/json.ts'
import { after, startingPosition } from '#server/audit/position.ts'
import { listRecordsAfter } from '#server/audit/records-store.ts'
import type { LogOwner, StoredRecord } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findPosition, setPosition, tryLockSink } from './position-store.ts'
import type { SentRecord, Sink } from './sink.ts'

/** At 8 KB each they stay below a megabyte, the smallest limit of a collector. */
export const batchSize = 100

/** Up to `limit` of the tenant's next records for the sink, and its position after them. */
async function nextRecords(tx: Transaction, owner: LogOwner, sink: Sink, limit: number) {
  const position = (await findPosition(tx, owner.id, sink.name)) ?? startingPosition(sink.from)
  const records = await listRecordsAfter(tx, owner.id, position, limit)
  return { records, position: records.reduce(after, position) }
}

/** When the oldest record was written that the sink still lacks. */
export const findOldestUnsent = (owner: LogOwner, sink: Sink): Promise<Date | undefined> =>
  runtime().database.inTenant(owner.id, async (tx) => (await nextRecords(tx, owner, sink, 1)).records[0]?.createdAt)

/**
 * Sends up to `limit` of the tenant's next records to the sink, in the order of the log, and then moves its position. A process that dies
 * between the two sends them again. Returns how many were sent; undefined while another process sends. Throws NotAccepted.
 */
export async function sendRecords(owner: LogOwner, sink: Sink, limit = batchSize): Promise<number | undefined> {
  const { database } = runtime()
  const lock = (tx: Transaction) => tryLockSink(tx, owner.id, sink.name)
  return await database.whileLocked(owner.id, lock, async () => {
    // In a transaction that began after the lock was taken.
    const { records, position } = await database.inTenant(owner.id, (tx) => nextRecords(tx, owner, sink, limit))
    if (records.length === 0) return 0
    await sink.send(records.map((row) => sentRecord(owner, row)))
    await database.inTenant(owner.id, (tx) => setPosition(tx, owner.id, sink.name, position))
    return records.length
  })
}

const sentRecord = ({ externalId }: LogOwner, row: StoredRecord): SentRecord => ({
  tenant: externalId,
  auditId: row.auditId,
  date: row.date,
  seq: row.seq,
  action: row.type,
  digest: `sha256:${row.digest.toString('hex')}`,
  createdAt: row.createdAt,
  record: isJsonObject(row.record) ? row.record : {},
})
