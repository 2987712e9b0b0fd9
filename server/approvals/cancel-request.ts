import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { lockApproval, setDecided } from './store.ts'
import { tellSubject } from './subjects.ts'

/**
 * Locks a request against decisions until the transaction ends. A withdrawal must lock the request before its subject, in the
 * same order as a decision, to rule out deadlocks.
 */
export async function holdRequest(tx: Transaction, tenantId: string, approvalId: string): Promise<void> {
  await lockApproval(tx, tenantId, approvalId)
}

/** Cancels a pending request; `auditId`: the audit record of the withdrawal. False when it is no longer pending. */
export async function cancelRequest(
  tx: Transaction,
  tenant: Tenant,
  approvalId: string,
  auditId: string,
): Promise<boolean> {
  const approval = await lockApproval(tx, tenant.id, approvalId)
  if (approval === undefined || approval.status !== 'pending') return false
  if (!(await setDecided(tx, tenant.id, approval.id, approval.revision, 'canceled', auditId))) return false
  await tellSubject(approval.kind, tx, tenant, {
    id: approval.id,
    subjectId: approval.subjectId,
    status: 'canceled',
    deciders: [],
  })
  notify(tx, 'approval', tenant.id)
  return true
}
