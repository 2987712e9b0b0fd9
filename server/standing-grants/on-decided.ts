import { ApiError } from '#lib/errors.ts'
import type { OnDecided } from '#server/approvals/subjects.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { grantExpiryQueue } from './expiry.ts'
import { setGrantDecided } from './store.ts'

const outcomes = { approved: 'active', rejected: 'rejected', expired: 'rejected', canceled: 'withdrawn' } as const
const actions = { active: 'activated', rejected: 'rejected', withdrawn: 'withdrawn' } as const

/** proposed → active, or ended. Throws for the approval of a proposal that has lapsed: it would have no effect. */
export const standingGrantDecided: OnDecided = async (tx, tenant, approval) => {
  const status = outcomes[approval.status]
  const approvedBy = approval.deciders[0] ?? null
  const grant = await setGrantDecided(
    tx,
    tenant.id,
    approval.subjectId,
    status,
    status === 'active' ? approvedBy : null,
  )
  if (grant === undefined) {
    if (status !== 'active') return
    throw new ApiError(
      'conflict',
      'What this grant stands on has changed since it was proposed: its agent, release, policies or proposer. Reject it.',
    )
  }
  if (status === 'active')
    await runtime().queue.enqueue(tx, grantExpiryQueue, { tenantId: tenant.id, id: grant.id }, grant.untilAt)
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: `standing_grant.${actions[status]}`,
    resource: { type: 'standing_grant', id: grant.id },
    details: { approvalId: approval.id, approvedBy: grant.approvedBy ?? undefined },
  })
}
