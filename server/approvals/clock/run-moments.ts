import { ApiError } from '#lib/errors.ts'
import { type ApprovalRow, findGroupNames, lockApproval, setPending } from '#server/approvals/store.ts'
import { tellApprovers } from '#server/approvals/telling/tell-approvers.ts'
import { quorumNow, votesNow } from '#server/approvals/terms/stages.ts'
import { setPassed, type Terms } from '#server/approvals/terms/terms-store.ts'
import { findVotes } from '#server/approvals/vote-store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tellChannels } from '#server/notifications/tell-channels.ts'
import { eligibleMembers, requireEligible } from '#server/tenants/approvers/eligible.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { enqueueNextMoment, type Moment, momentsOf, momentsQueue } from './moments.ts'

type Row = NonNullable<ApprovalRow>

/** Reminds the reviewers of a request, and escalates it, when its terms say so. */
export const approvalMoments: JobHandler = {
  queue: momentsQueue,
  concurrency: 1,
  run: ({ tenantId, id }) =>
    runtime().database.inTenant(tenantId, async (tx) => {
      const approval = await lockApproval(tx, tenantId, id)
      const terms = approval?.terms
      if (approval === undefined || terms === undefined || approval.status !== 'pending' || approval.expired) return
      // The clock is stopped. The resume schedules the next moment.
      if (approval.parkedAt !== null || terms.pausedAt !== null) return
      const now = (await databaseClock(tx))()
      const due = momentsOf(approval, terms).filter(({ at }) => at <= now)
      const passed = [...terms.passed, ...due.map(({ name }) => name)]
      if (due.length > 0) {
        const tenant = await tenantById(tx, tenantId)
        await setPassed(tx, tenantId, id, passed)
        // After a time in which no process ran, one reminder is enough.
        const remind = due.findLast(({ kind }) => kind === 'remind')
        if (due.some(({ kind }) => kind === 'escalate')) await escalate(tx, tenant, approval, terms)
        else if (remind !== undefined) await remindReviewers(tx, tenant, approval, terms, remind)
      }
      await enqueueNextMoment(tx, tenantId, approval, { ...terms, passed })
    }),
}

async function remindReviewers(
  tx: Transaction,
  tenant: Tenant,
  approval: Row,
  terms: Terms,
  { percent }: Moment,
): Promise<void> {
  const [group] = await findGroupNames(tx, tenant.id, [approval.groupId])
  if (group === undefined) return
  const voted = votesNow(await findVotes(tx, tenant.id, approval.id), approval, terms).flatMap(
    ({ memberId, onBehalfOf }) => [memberId, onBehalfOf],
  )
  const eligible = await eligibleMembers(tx, tenant, group, approval.identities, approval.requestedAt)
  const members = eligible.filter(({ id }) => !voted.includes(id))
  await tellChannels(tx, tenant.id, 'approval.reminded', approval.id)
  await tellApprovers(tx, tenant, approval, members, 'reminded')
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: 'approval.reminded',
    resource: { type: 'approval', id: approval.id },
    details: {
      percent: percent ?? null,
      group: group.name,
      people: members.filter(({ kind }) => kind === 'person').length,
    },
  })
}

/** To the escalation group, at the next level. If no one there could decide, the record says so, and the request stays where it is. */
async function escalate(tx: Transaction, tenant: Tenant, approval: Row, terms: Terms): Promise<void> {
  const group = await findGroup(tx, tenant.id, 'escalation')
  if (group?.id === approval.groupId) return
  const about = { actor: systemActor, resource: { type: 'approval', id: approval.id } }
  const members =
    group === undefined
      ? new ApiError('no_eligible_approver', 'The approver group escalation does not exist.')
      : await requireEligible(
          tx,
          tenant,
          group,
          approval.identities,
          quorumNow(approval, terms),
          approval.requestedAt,
        ).catch((error: unknown) => {
          if (error instanceof ApiError && error.code === 'no_eligible_approver') return error
          throw error
        })
  if (members instanceof ApiError || group === undefined) {
    const reason = members instanceof ApiError ? members.message : undefined
    await appendAudit(tx, tenant, {
      ...about,
      action: 'approval.escalation_failed',
      details: { reason: reason ?? null },
    })
    return
  }
  const escalationLevel = approval.escalationLevel + 1
  const { id, revision } = approval
  await setPending(tx, tenant.id, id, revision, { groupId: group.id, escalationLevel })
  await tellChannels(tx, tenant.id, 'approval.escalated', id)
  await tellApprovers(tx, tenant, approval, members, 'overdue')
  notify(tx, 'approval', tenant.id)
  await appendAudit(tx, tenant, {
    ...about,
    action: 'approval.escalated',
    details: { group: group.name, escalationLevel, afterSeconds: terms.escalateAfterSeconds },
  })
}
