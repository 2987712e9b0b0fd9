import { LabelSelector } from '#lib/schemas/policies.ts'
import type { OnDecided } from '#server/approvals/subjects.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { lockPlaceOf, setBindingDecided, supersedeFor } from './binding-store.ts'

/** What each end of an approval makes of the binding that it was asked for. */
const outcomes = { approved: 'active', rejected: 'rejected', expired: 'rejected', canceled: 'withdrawn' } as const
const actions = { active: 'activated', rejected: 'rejected', withdrawn: 'withdrawn' } as const

/** An approved binding becomes active and supersedes the same policy's active one; anything else ends it. */
export const bindingDecided: OnDecided = async (tx, tenant, approval) => {
  const status = outcomes[approval.status]
  await lockPlaceOf(tx, tenant.id, approval.subjectId)
  const superseded = status === 'active' ? await supersedeFor(tx, tenant.id, approval.subjectId) : []
  const binding = await setBindingDecided(tx, tenant.id, approval.subjectId, status)
  // Not proposed any more: it was withdrawn meanwhile. The decision stays recorded, and has no effect.
  if (binding === undefined) return
  const place = {
    ...(binding.agentId === null ? { selector: LabelSelector.parse(binding.selector) } : { agentId: binding.agentId }),
    environment: binding.environment,
    policyId: binding.policyId,
  }
  for (const old of superseded)
    await appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'policy_binding.superseded',
      resource: { type: 'policy_binding', id: old.id },
      details: { ...place, policyVersion: old.policyVersion, by: binding.id },
    })
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: `policy_binding.${actions[status]}`,
    resource: { type: 'policy_binding', id: binding.id },
    details: { ...place, policyVersion: binding.policyVersion, mode: binding.mode, approvalId: approval.id },
  })
}
