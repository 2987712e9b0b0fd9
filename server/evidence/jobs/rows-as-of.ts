import { raiseAlarm, refusedMemory } from '#server/audit/alarms/raise-alarm.ts'
import { findNow } from '#server/audit/coverage-store.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { LogRefused, MemoryRefused } from '#server/audit/sealing/log-refused.ts'
import { memoryBeforeSnapshot, requireRememberedDays } from '#server/audit/sealing/remembered-days.ts'
import { insertDays } from '#server/audit/sealing/sign-period.ts'
import type { RowsAsOf } from '#server/evidence/archive/coverage.ts'
import { boundSince, isLaterBound, laterBoundSince } from '#server/kernel/bound/adopted.ts'
import { listOpenDays } from '#server/kernel/bound/stream-store.ts'
import { exportSnapshot } from '#server/kernel/db/snapshot-store.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Runs `work` while a transaction is open whose snapshot other transactions can read: that of the rows of an archive. */
export async function withRowsAsOf<T>(tenantId: string, work: (rows: RowsAsOf) => Promise<T>): Promise<T> {
  const { database } = runtime()
  // All of them are closed for the archive, which would otherwise show a closed day after one that is open.
  await insertDays(tenantId)
  const before = await alarmed(tenantId, memoryBeforeSnapshot(tenantId))
  const laterBound = await database.inTenant(tenantId, (tx) => isLaterBound(tx, tenantId))
  return await database.inSnapshot(tenantId, 'new', async (tx) => {
    const snapshot = await exportSnapshot(tx)
    const open = await listOpenDays(tx, tenantId)
    await alarmed(tenantId, requireRememberedDays(tenantId, open, before))
    return await work({
      snapshot,
      // All days are closed until the first record after midnight.
      asOf: open.length > 0 ? open : [{ date: (await findNow(tx)).toISOString().slice(0, 10), size: 0 }],
      boundSince: await boundSince(tx, tenantId),
      spansBoundSince: await laterBoundSince(tx, tenantId, laterBound),
      // A later place than the first record: an earlier version wrote the records before it.
      keyedFrom: before?.keyedFrom != null && before.keyedFrom.seq > 0 ? before.keyedFrom : undefined,
    })
  })
}

/** Raises an alarm for a log that does not agree with what the signer remembers. */
const alarmed = <T>(tenantId: string, reading: Promise<T>): Promise<T> =>
  reading.catch(async (error: unknown) => {
    if (error instanceof LogRefused)
      await raiseAlarm(
        tenantId,
        error instanceof MemoryRefused
          ? refusedMemory(error)
          : { kind: 'preflight', subject: sealLog, reason: error.message },
      )
    throw error
  })
