import { ApiError, notFound } from '#lib/errors.ts'
import { outcomeOf, whyNotDecide } from '#lib/rules/approvals.ts'
import { DecideInput, DecideOutput } from '#lib/schemas/approvals.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { findGroup } from '#server/tenants/directory.ts'
import { confirmationDigest, confirmationOf } from './confirmation.ts'
import { requireEligible } from './request.ts'
import { reviewerFacts } from './reviewer.ts'
import { type ApprovalRow, lockApproval, setDecided, setPending } from './store.ts'
import { tellSubject } from './subjects.ts'
import { tellApprovers } from './tell-approvers.ts'
import { findVotes, insertVote } from './vote-store.ts'

/** Records a reviewer's decision; of two concurrent ones, the second gets 409. The quorum counts people; one rejection ends it. */
export const decide = mutation({
  permission: 'approval:decide',
  input: DecideInput,
  output: DecideOutput,
  audit: (input, output) => ({
    action: `approval.${input.decision}`,
    resource: { type: 'approval', id: input.approvalId },
    reason: input.reason,
    ...(output === undefined
      ? {}
      : {
          details: {
            status: output.status,
            votes: output.votes,
            escalationLevel: output.escalationLevel,
            decisionId: output.decisionId,
            ...(output.onBehalfOf === undefined ? {} : { onBehalfOf: output.onBehalfOf.id }),
            ...(output.confirmation === undefined
              ? {}
              : { passkey: output.confirmation.passkeyId, confirmation: output.confirmation.digest }),
          },
        }),
  }),
  async run({ tx, tenant, principal, input, auditId }) {
    const approval = await lockApproval(tx, tenant.id, input.approvalId)
    if (approval === undefined) throw notFound()
    const facts = await reviewerFacts(tx, tenant, principal, approval)
    const blocked = whyNotDecide(facts)
    if (blocked?.code === 'already_decided') throw await alreadyDecided(approval)
    if (blocked !== undefined) throw refuse(blocked.code, blocked.message)
    if (input.expectedRevision !== undefined && input.expectedRevision !== approval.revision)
      throw new ApiError('revision_conflict', 'This request changed after you opened it. Reload it and try again.', {
        details: { revision: approval.revision },
      })
    if (input.payloadDigest !== undefined && input.payloadDigest !== approval.payloadDigest)
      throw refuse(
        'digest_mismatch',
        'The payload digest of your decision does not match this request. Reload it and try again.',
        {},
        { payloadDigest: approval.payloadDigest },
      )

    const confirmation = await confirmationOf(tx, { tenant, principal }, approval, input)
    const decisionId = newId()
    const { escalationLevel } = approval
    await insertVote(tx, {
      tenantId: tenant.id,
      approvalId: approval.id,
      id: decisionId,
      memberId: principal.memberId,
      onBehalfOf: facts.standsIn?.delegatorId ?? null,
      decision: input.decision,
      reason: input.reason,
      escalationLevel,
      auditId,
      confirmation,
    })
    const votes = (await findVotes(tx, tenant.id, approval.id)).filter(
      (vote) => vote.escalationLevel === escalationLevel,
    )
    const outcome = outcomeOf(input.decision, votes, approval.quorum)

    let level = escalationLevel
    if (outcome === 'pending') {
      const next = input.decision === 'escalate' ? await escalated(approval) : undefined
      if (next !== undefined) level += 1
      const changed = await setPending(tx, tenant.id, approval.id, approval.revision, {
        groupId: next?.groupId ?? approval.groupId,
        escalationLevel: level,
      })
      if (!changed) throw conflict()
      if (next !== undefined) await tellApprovers(tx, tenant, approval, next.members, true)
    } else {
      if (!(await setDecided(tx, tenant.id, approval.id, approval.revision, outcome, auditId))) throw conflict()
      const { id, subjectId } = approval
      const deciders = votes.flatMap((vote) => [vote.memberId, ...(vote.onBehalfOf === null ? [] : [vote.onBehalfOf])])
      await tellSubject(approval.kind, tx, tenant, { id, subjectId, status: outcome, deciders })
    }
    notify(tx, 'approval', tenant.id)
    return {
      approvalId: approval.id,
      status: outcome,
      votes: votes.length,
      escalationLevel: level,
      decisionId,
      auditId,
      revision: approval.revision + 1,
      ...(facts.standsIn === undefined
        ? {}
        : { onBehalfOf: { id: facts.standsIn.delegatorId, displayName: facts.standsIn.delegatorName } }),
      ...(confirmation === undefined
        ? {}
        : { confirmation: { passkeyId: confirmation.passkeyId, digest: confirmationDigest(confirmation) } }),
    }

    async function escalated(row: NonNullable<ApprovalRow>) {
      const group = await findGroup(tx, tenant.id, 'escalation')
      if (group === undefined || group.id === row.groupId)
        throw new ApiError('conflict', 'This request is already with the escalation group.')
      return { groupId: group.id, members: await requireEligible(tx, tenant, group, row.identities, row.quorum) }
    }

    async function alreadyDecided(row: NonNullable<ApprovalRow>): Promise<ApiError> {
      const last = (await findVotes(tx, tenant.id, row.id)).at(-1)
      return new ApiError('already_decided', blocked?.message ?? 'This request has already been decided.', {
        details: {
          status: row.status,
          revision: row.revision,
          decidedAt: row.decidedAt?.toISOString() ?? null,
          ...(last === undefined ? {} : { decision: last.decision, decidedBy: last.memberId }),
        },
      })
    }
  },
})

const conflict = () =>
  new ApiError('revision_conflict', 'This request changed while you were deciding. Reload it and try again.')
