import { ApiError, notFound } from '#lib/errors.ts'
import { outcomeOf, type StandsIn, seatOf, whyNotDecide, whyNotReject } from '#lib/rules/approvals.ts'
import { DecideInput, DecideOutput } from '#lib/schemas/approvals.ts'
import type { Confirmation } from '#lib/schemas/passkeys.ts'
import { requireAllBound, requireBound, requireFoundBound } from '#server/kernel/bound/check.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { newId } from '#server/kernel/ids.ts'
import { type MutationContext, mutation, refuse } from '#server/kernel/operation.ts'
import { tellChannels, tellThese } from '#server/notifications/tell-channels.ts'
import { eligibleMembers, requireEligible } from '#server/tenants/approvers/eligible.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { requireSeatsBound } from '#server/tenants/provider/require-seats.ts'
import { confirmationDigest, confirmationOf } from './confirmation.ts'
import { type Locked, lockForDecision, writeDecision } from './decision-store.ts'
import { requireRead } from './reading/reading.ts'
import { factsOfFirst, isStrict, reviewerFacts } from './reviewer.ts'
import { type ApprovalRow, findGroupNames, setPending } from './store.ts'
import { tellSubject } from './subjects.ts'
import { tellApprovers } from './telling/tell-approvers.ts'
import { countedVotes, nextStage, quorumNow, votesNow } from './terms/stages.ts'
import { type GroupStage, setNextStage } from './terms/terms-store.ts'
import { type findVotes, insertVote } from './vote-store.ts'

type Row = NonNullable<ApprovalRow>
type Context = MutationContext<DecideInput>
type Vote = Pick<
  Awaited<ReturnType<typeof findVotes>>[number],
  'id' | 'memberId' | 'onBehalfOf' | 'escalationLevel' | 'decision'
>
type Votes = readonly Vote[]
type Outcome = ReturnType<typeof outcomeOf>

/** Records a reviewer's decision; of two concurrent ones, the second gets 409. The quorum counts people; one rejection ends it, also the requester’s own. */
export const decide = mutation({
  permission: 'approval:decide',
  contained: true,
  input: DecideInput,
  output: DecideOutput,
  audit: (input, output) => ({
    action: `approval.${input.decision}`,
    resource: { type: 'approval', id: input.approvalId },
    reason: input.reason,
    details: output && {
      status: output.status,
      votes: output.votes,
      escalationLevel: output.escalationLevel,
      decisionId: output.decisionId,
      onBehalfOf: output.onBehalfOf?.id,
      passkey: output.confirmation?.passkeyId,
      confirmation: output.confirmation?.digest,
    },
  }),
  async run(context) {
    const { tx, tenant, principal, input, auditId } = context
    const locked = await lockForDecision(tx, {
      tenantId: tenant.id,
      approvalId: input.approvalId,
      memberId: principal.memberId,
    })
    const { approval, votes: votesBefore } = locked
    await requireFoundBound(tx, tenant.id, locked.ends, locked.bound)
    if (approval === undefined) throw notFound()
    const standsIn = await requireReviewer(context, approval, locked)
    if (standsIn !== undefined) await requireSeatAsLogged(context, approval, standsIn)
    requireAsRead(input, approval)
    await requireRead(tx, context, approval, input)
    const confirmation = await confirmationOf(tx, context, approval, input)
    const decisionId = newId()
    // The clock may be behind the database's by the time of an answer, and nothing is decided before it was requested.
    const at = new Date(Math.max((await databaseClock(tx))().getTime(), approval.requestedAt.getTime() + 1))
    const own = {
      id: decisionId,
      memberId: principal.memberId,
      onBehalfOf: standsIn?.delegatorId ?? null,
      escalationLevel: approval.escalationLevel,
      decision: input.decision,
    }
    // The lock keeps others from voting.
    const votes = [...votesBefore, own]
    const now = votesNow(votes, approval, approval.terms)
    const outcome = outcomeOf(input.decision, now, quorumNow(approval, approval.terms))
    const next = outcome === 'approved' ? nextStage(approval.terms) : undefined
    const status = next === undefined ? outcome : 'pending'
    const cast = { ...own, reason: input.reason, confirmation }
    const escalationLevel =
      next !== undefined || (status === 'pending' && input.decision === 'escalate')
        ? await passOn(context, approval, { next, now, cast })
        : await settle(context, locked, { status, votes, at, cast })
    notify(tx, 'approval', tenant.id)
    return {
      approvalId: approval.id,
      status,
      votes: now.length,
      escalationLevel,
      decisionId,
      auditId,
      revision: approval.revision + 1,
      onBehalfOf: standsIn && { id: standsIn.delegatorId, displayName: standsIn.delegatorName },
      confirmation: confirmation && {
        passkeyId: confirmation.passkeyId,
        digest: confirmationDigest(confirmation),
      },
    }
  },
})

type Cast = Vote & { reason: string; confirmation: Confirmation | undefined }

/** To the next stage, or to the escalation group. Returns the level of escalation. */
async function passOn(
  context: Context,
  approval: Row,
  { next, now, cast }: { next: GroupStage | undefined; now: Votes; cast: Cast },
): Promise<number> {
  const { tx, tenant, auditId } = context
  const [, escalationLevel] = await inOneWrite(tx, [
    () => insertVote(tx, { ...cast, tenantId: tenant.id, approvalId: approval.id, auditId }),
    () => (next === undefined ? escalate(context, approval) : beginStage(context, approval, next, now)),
  ])
  return escalationLevel
}

/** The same for a delegate: the delegations of the tenant, and the delegator as a member of the group. */
async function requireSeatAsLogged(
  { tx, tenant }: Context,
  { groupId }: Row,
  { delegatorId }: StandsIn,
): Promise<void> {
  await Promise.all([
    requireAllBound(tx, tenant.id, 'approver_delegation'),
    requireBound(tx, tenant.id, 'member', [delegatorId]),
    requireSeatsBound(tx, tenant.id, groupId, [delegatorId]),
  ])
}

/** Refuses a caller who cannot decide this request. Returns their delegator if they decide as a delegate. */
async function requireReviewer(
  { tx, tenant, principal, input }: Context,
  approval: Row,
  locked: Locked,
): Promise<StandsIn | undefined> {
  const isPlain = locked.isPlain && principal.kind === 'person'
  const [facts] = await Promise.all([
    isPlain ? factsOfFirst(tenant, principal, approval, locked.facts) : reviewerFacts(tx, tenant, principal, approval),
    isPlain
      ? requireFoundBound(tx, tenant.id, locked.ends, { approver_group_member: locked.seat })
      : requireSeatsBound(tx, tenant.id, approval.groupId, [principal.memberId]),
  ])
  const blocked = input.decision === 'reject' ? whyNotReject(facts) : whyNotDecide(facts)
  if (blocked === undefined) return seatOf(facts)
  if (blocked.code !== 'already_decided') throw refuse(blocked.code, blocked.message)
  const last = locked.votes.at(-1)
  throw new ApiError('already_decided', blocked.message, {
    details: {
      status: approval.status,
      revision: approval.revision,
      decidedAt: approval.decidedAt?.toISOString() ?? null,
      decision: last?.decision,
      decidedBy: last?.memberId,
    },
  })
}

/** Refuses a decision on another revision or digest than this request currently has. */
function requireAsRead({ expectedRevision, payloadDigest }: DecideInput, approval: Row): void {
  if (expectedRevision !== undefined && expectedRevision !== approval.revision)
    throw new ApiError('revision_conflict', 'This request changed after you opened it. Reload it and try again.', {
      details: { revision: approval.revision },
    })
  if (payloadDigest !== undefined && payloadDigest !== approval.payloadDigest)
    throw refuse(
      'digest_mismatch',
      'The payload digest of your decision does not match this request. Reload it and try again.',
      {},
      { payloadDigest: approval.payloadDigest },
    )
}

/** The people of this stage have approved: asks the group of the next one. */
async function beginStage(context: Context, approval: Row, { groupId }: GroupStage, votes: Votes): Promise<number> {
  const { tx, tenant } = context
  const { id, terms, escalationLevel, identities, requestedAt } = approval
  if (terms === undefined) throw new Error('A request without terms has one stage.')
  await setNextStage(
    tx,
    tenant.id,
    id,
    terms,
    votes.map((vote) => vote.id),
  )
  await stayPending(context, approval, { groupId, escalationLevel })
  const [group] = await findGroupNames(tx, tenant.id, [groupId])
  if (group !== undefined)
    await tellApprovers(
      tx,
      tenant,
      approval,
      await eligibleMembers(tx, tenant, group, identities, requestedAt),
      'staged',
    )
  return escalationLevel
}

/**
 * The request stays pending, or is approved or rejected, which is applied to the subject in the same transaction. Returns its level of
 * escalation.
 */
async function settle(
  { tx, tenant, auditId }: Context,
  locked: Locked,
  { status, votes, at, cast }: { status: Outcome; votes: Votes; at: Date; cast: Cast },
): Promise<number> {
  const { approval, channels } = locked
  if (approval === undefined) throw new Error('unreachable: the request exists')
  const { id, kind, subjectId, revision, escalationLevel } = approval
  // Before the decision, which is sent with the next statement or with the COMMIT.
  if (status !== 'pending')
    await tellThese(tx, tenant.id, channels, { event: 'approval.decided', subjectId: id, facts: { status } })
  await writeDecision(tx, locked, { tenantId: tenant.id, approvalId: id, revision, status, at, auditId, vote: cast })
  if (status === 'pending') return escalationLevel
  const deciders = countedVotes(votes, approval, approval.terms).flatMap(({ memberId, onBehalfOf }) =>
    onBehalfOf === null ? [memberId] : [memberId, onBehalfOf],
  )
  await tellSubject(kind, tx, tenant, { id, subjectId, status, deciders })
  return escalationLevel
}

/** Moves the request to the escalation group, at the next level. Throws 409 when it is already there. */
async function escalate(context: Context, approval: Row): Promise<number> {
  const { tx, tenant } = context
  // The escalation group may not decide these calls itself.
  if (isStrict(approval)) throw new ApiError('conflict', 'A standing grant can’t be escalated. Reject it instead.')
  const group = await findGroup(tx, tenant.id, 'escalation')
  if (group === undefined || group.id === approval.groupId)
    throw new ApiError('conflict', 'This request is already with the escalation group.')
  const members = await requireEligible(
    tx,
    tenant,
    group,
    approval.identities,
    quorumNow(approval, approval.terms),
    approval.requestedAt,
  )
  const escalationLevel = approval.escalationLevel + 1
  await stayPending(context, approval, { groupId: group.id, escalationLevel })
  await tellChannels(tx, tenant.id, 'approval.escalated', approval.id)
  await tellApprovers(tx, tenant, approval, members, 'escalated')
  return escalationLevel
}

async function stayPending(
  { tx, tenant }: Context,
  { id, revision }: Row,
  { groupId, escalationLevel }: { groupId: string; escalationLevel: number },
): Promise<void> {
  if (!(await setPending(tx, tenant.id, id, revision, { groupId, escalationLevel }))) throw changed()
}

const changed = () =>
  new ApiError('revision_conflict', 'This request changed while you were deciding. Reload it and try again.')
