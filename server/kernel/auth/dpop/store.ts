import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Records the use of a proof: true for exactly one of several concurrent callers, on all nodes. */
export async function insertProof(
  tx: Transaction,
  row: { tenantId: string; digest: Buffer; expiresAt: Date },
): Promise<boolean> {
  const result = await tx
    .insertInto('dpopProofs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenantId', 'digest']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Deletes expired proofs, with a minute of grace for clocks that differ. */
export async function deleteExpiredProofs(tx: Transaction, tenantId: string): Promise<void> {
  await tx
    .deleteFrom('dpopProofs')
    .where('tenantId', '=', tenantId)
    .where('expiresAt', '<', sql<Date>`now() - interval '1 minute'`)
    .execute()
}
