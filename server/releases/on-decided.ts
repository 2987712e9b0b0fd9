import { setAgentActive } from '#server/agents/registry.ts'
import type { OnDecided } from '#server/approvals/subjects.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { setReleaseDecided, supersedeOthers } from './store.ts'

/** An approved release becomes active and supersedes the one before; anything else rejects it. */
export const releaseDecided: OnDecided = async (tx, tenant, approval) => {
  const approved = approval.status === 'approved'
  const superseded = approved ? await supersedeOthers(tx, tenant.id, approval.subjectId) : []
  const release = await setReleaseDecided(tx, tenant.id, approval.subjectId, approved ? 'active' : 'rejected')
  // Not proposed any more: it was withdrawn meanwhile. The decision stays recorded, and has no effect.
  if (release === undefined) return
  if (approved) await setAgentActive(tx, tenant.id, release.agentId)
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: approved ? 'release.activated' : 'release.rejected',
    resource: { type: 'release', id: release.id },
    details: {
      agentId: release.agentId,
      environment: release.environment,
      digest: release.digest,
      approvalId: approval.id,
      superseded: superseded.map((row) => row.id),
    },
  })
}
