import { setAgentActive } from '#server/agents/registry.ts'
import type { OnDecided } from '#server/approvals/subjects.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { lockPlaceOf, setReleaseDecided, supersedeOthers } from './store.ts'

/** The status of a release after each outcome of its approval. */
const outcomes = { approved: 'active', rejected: 'rejected', expired: 'rejected', canceled: 'withdrawn' } as const
const actions = { active: 'activated', rejected: 'rejected', withdrawn: 'withdrawn' } as const

/** Activates an approved release and supersedes the active one; any other outcome ends the proposal. */
export const releaseDecided: OnDecided = async (tx, tenant, approval) => {
  const status = outcomes[approval.status]
  await lockPlaceOf(tx, tenant.id, approval.subjectId)
  const superseded = status === 'active' ? await supersedeOthers(tx, tenant.id, approval.subjectId) : []
  const release = await setReleaseDecided(tx, tenant.id, approval.subjectId, status)
  // Withdrawn before the decision: the decision stays recorded but has no effect.
  if (release === undefined) return
  if (status === 'active') await setAgentActive(tx, tenant.id, release.agentId)
  const place = { agentId: release.agentId, environment: release.environment }
  for (const old of superseded)
    await appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'release.superseded',
      resource: { type: 'release', id: old.id },
      details: { ...place, by: release.id },
    })
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: `release.${actions[status]}`,
    resource: { type: 'release', id: release.id },
    details: {
      ...place,
      digest: release.digest,
      approvalId: approval.id,
      superseded: superseded.map((row) => row.id),
    },
  })
}
