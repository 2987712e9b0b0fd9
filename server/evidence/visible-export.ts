import { notFound } from '#lib/errors.ts'
import type { LogOwner } from '#server/audit/store.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { requireLogged } from './as-logged.ts'
import { findRecorded, type RecordedExport } from './store.ts'

/**
 * Returns the export, as the log knows it, if the caller may see it: evidence:list permits all of the tenant's, evidence:export
 * the caller's. For another member's export the response is the same as for one that never existed (404).
 */
export async function visibleExport(
  tx: Transaction,
  tenant: LogOwner,
  { memberId, permissions }: Pick<Principal, 'memberId' | 'permissions'>,
  exportId: string,
): Promise<RecordedExport> {
  const all = permissions.has('evidence:list')
  const row = await findRecorded(tx, tenant.id, exportId)
  if (row === undefined || (!all && row.requestedBy !== memberId)) throw notFound()
  await requireLogged(tx, tenant, row)
  return row
}
