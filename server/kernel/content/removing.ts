import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { listActiveHolds, lockHolds, lockRemoval } from './removal-store.ts'

/** A legal hold was placed after the transaction had read which content is on hold. */
class HoldPlaced extends Error {
  override readonly name = 'HoldPlaced'
}

/**
 * Runs a transaction that removes content. A legal hold that commits before it wins, even if the transaction has already
 * read and changed rows: it is undone and repeated, and then sees the hold. A hold that comes later waits for the commit
 * only, not for the work. `work` may run several times, and must not have effects outside of the transaction.
 */
export async function removing<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await runtime().database.inTenant(tenantId, async (tx) => {
        await lockRemoval(tx, tenantId)
        const before = new Set(await listActiveHolds(tx, tenantId))
        const result = await work(tx)
        await lockHolds(tx, tenantId)
        if ((await listActiveHolds(tx, tenantId)).some((id) => !before.has(id))) throw new HoldPlaced()
        return result
      })
    } catch (error) {
      if (!(error instanceof HoldPlaced)) throw error
    }
}
