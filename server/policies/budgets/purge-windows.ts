import { runtime } from '#server/kernel/runtime.ts'
import { deleteWindows } from './budget-store.ts'

/** Longer than the longest call, so that reservations made at the end of a window can still be settled. */
const keptMs = 35 * 86_400_000
const batchSize = 500

/** Deletes windows of budgets that ended long before `now`, a time of the database's clock. The decision records keep what was reserved in them. */
export async function purgeWindows(tenantId: string, now: number): Promise<void> {
  const before = new Date(now - keptMs)
  for (let removed = batchSize; removed === batchSize; )
    removed = await runtime().database.inTenant(tenantId, (tx) => deleteWindows(tx, tenantId, before, batchSize))
}
