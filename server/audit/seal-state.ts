import type { Transaction } from '#server/kernel/db/database.ts'
import { findSeal } from './store.ts'

/** How far the audit record is proven: no such record, not yet covered by a signed checkpoint, or covered by one. */
export async function sealStateOf(
  tx: Transaction,
  tenantId: string,
  auditId: string,
): Promise<'none' | 'pending' | 'sealed'> {
  const seal = await findSeal(tx, tenantId, auditId)
  if (seal === undefined) return 'none'
  return seal.signedSize !== null && seal.seq < seal.signedSize ? 'sealed' : 'pending'
}
