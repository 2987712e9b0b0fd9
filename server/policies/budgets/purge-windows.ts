import { runtime } from '#server/kernel/runtime.ts'
import { deleteWindows } from './budget-store.ts'

/** Longer than the longest call, so that what was reserved at a window's end can still be settled. */
const keptMs = 35 * 86_400_000
const atOnce = 500

/** Removes windows of budgets that ended long ago. What was reserved in them stays in the decisions' records. */
export async function purgeWindows(tenantId: string): Promise<void> {
  const before = new Date(Date.now() - keptMs)
  for (let removed = atOnce; removed === atOnce; )
    removed = await runtime().database.inTenant(tenantId, (tx) => deleteWindows(tx, tenantId, before, atOnce))
}
