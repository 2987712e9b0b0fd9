import { setAgentActive } from '#server/agents/store.ts'
import type { OnDecided } from '#server/approvals/subjects.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { lockPlaceOf, setReleaseDecided, supersedeOthers } from './store.ts'

/** What each end of an approval makes of the release that it was asked for. */
const outcomes = { approved: 'active', rejected: 'rejected', expired: 'rejected', canceled: 'withdrawn' } as const
const actions = { active: 'activated', rejected: 'rejected', withdrawn: 'withdrawn' } as const

/** An approved release becomes active and supersedes the one before; anything else ends it. */
export const releaseDecided: OnDecided = async (tx, tenant, approval) => {
  const status = outcomes[approval.status]
  await lockPlaceOf(tx, tenant.id, approval.subjectId)
  const superseded = status === 'active' ? await supersedeOthers(tx, tenant.id, approval.subjectId) : []
  const release = await setReleaseDecided(tx, tenant.id, approval.subjectId, status)
  // Not proposed any more: it was withdrawn meanwhile. The decision stays recorded, and has no effect.
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
