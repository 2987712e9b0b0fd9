import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { lockHolds, lockRemoval } from '#server/kernel/content/removal-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { setArchiveGone } from './archives-store.ts'

/** Marks an archive as gone, on the record. False, and nothing is done, when it is gone already or a hold protects it. */
export async function markGone(
  tx: Transaction,
  tenantId: string,
  exportId: string,
  reason: 'retention_expired' | 'erased',
  erasureId?: string,
): Promise<boolean> {
  await lockRemoval(tx, tenantId)
  // The store deletes the archive after the commit, so that no hold may be placed after this check.
  await lockHolds(tx, tenantId)
  if (!(await setArchiveGone(tx, tenantId, exportId, reason))) return false
  await appendAudit(tx, await tenantById(tx, tenantId), {
    actor: systemActor,
    action: 'evidence_export.archive_deleted',
    resource: { type: 'evidence_export', id: exportId },
    details: { reason, erasureId },
  })
  return true
}
