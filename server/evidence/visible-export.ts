import { notFound } from '#lib/errors.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findExport, type StoredExport } from './store.ts'

/**
 * Returns the export if the caller may see it: evidence:list permits all of the tenant's, evidence:export the caller's. For
 * another member's export the response is the same as for one that never existed (404).
 */
export async function visibleExport(
  tx: Transaction,
  tenantId: string,
  { memberId, permissions }: Pick<Principal, 'memberId' | 'permissions'>,
  exportId: string,
): Promise<StoredExport> {
  const all = permissions.has('evidence:list')
  const row = await findExport(tx, tenantId, exportId)
  if (row === undefined || (!all && row.requestedBy !== memberId)) throw notFound()
  return row
}
