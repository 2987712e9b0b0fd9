import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { lockApproval, setDecided } from './store.ts'
import { tellSubject } from './subjects.ts'

/**
 * Nobody decides this request before the transaction ends. Whoever withdraws what it was asked for takes it first, as a
 * decision does: the other way round, the two would wait for each other.
 */
export async function holdRequest(tx: Transaction, tenantId: string, approvalId: string): Promise<void> {
  await lockApproval(tx, tenantId, approvalId)
}

/** Withdraws a pending request; `auditId` is the record of the act that does so. False when it is not pending any more. */
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
