import { findNow } from '#server/audit/coverage-store.ts'
import type { RowsAsOf } from '#server/evidence/archive/coverage.ts'
import { boundSince, laterBoundSince } from '#server/kernel/bound/adopted.ts'
import { listOpenDays } from '#server/kernel/bound/stream-store.ts'
import { exportSnapshot } from '#server/kernel/db/snapshot-store.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Runs `work` while a transaction is open whose snapshot other transactions can read: that of the rows of an archive. */
export const withRowsAsOf = <T>(tenantId: string, work: (rows: RowsAsOf) => Promise<T>): Promise<T> =>
  runtime().database.inSnapshot(tenantId, 'new', async (tx) => {
    const snapshot = await exportSnapshot(tx)
    const open = await listOpenDays(tx, tenantId)
    return await work({
      snapshot,
      // All days are closed until the first record after midnight.
      asOf: open.length > 0 ? open : [{ date: (await findNow(tx)).toISOString().slice(0, 10), size: 0 }],
      boundSince: await boundSince(tx, tenantId),
      spansBoundSince: await laterBoundSince(tx, tenantId),
    })
  })
