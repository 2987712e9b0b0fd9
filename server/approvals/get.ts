import { notFound } from '#lib/errors.ts'
import { permissionsOf } from '#lib/permissions.ts'
import { whyNotDecide, whyNotReject } from '#lib/rules/approvals.ts'
import { Approval, Decision, GetApprovalInput } from '#lib/schemas/approvals.ts'
import { Confirmation } from '#lib/schemas/passkeys.ts'
import { sealStateOf } from '#server/audit/seal-state.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { requireBound, requireBoundBelow } from '#server/kernel/bound/check.ts'
import { findErased } from '#server/kernel/content/erased-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type Context, query } from '#server/kernel/operation.ts'
import { actorOf, actorsById } from '#server/tenants/actors.ts'
import { findGroupMembers } from '#server/tenants/group-store.ts'
import { passkeyStateOf } from './confirmation.ts'
import { type StandIn, standInsOf } from './delegations/stand-ins.ts'
import { canceledOf } from './ending/canceled.ts'
import { programsOf } from './program/program.ts'
import { findQuestions, hasMade } from './question-store.ts'
import { readingOf } from './reading/reading.ts'
import { isStrict, reviewerFacts } from './reviewer.ts'
import { changesOf, revisionsOf, supersededOf } from './revisions/view.ts'
import { type ApprovalRow, findApproval, findContentDigest } from './store.ts'
import { quorumNow, stagesOfVotes, votesNow } from './terms/stages.ts'
import { clockOf, stagesOf } from './terms/view.ts'
import { repeatsById, summaryOf } from './view.ts'
import { findVotes } from './vote-store.ts'

/** An approval with everything that its page shows, and why the caller can or cannot decide it. */
export const get = query({
  permission: 'approval:list',
  input: GetApprovalInput,
  output: Approval,
  async run(context) {
    // Statements see what commits between them: a vote without the state that it led to would be shown as known.
    for (;;) {
      const answer = await read(context)
      const now = await findApproval(context.tx, context.tenant.id, answer.approvalId)
      if (now?.revision === answer.revision) return answer
    }
  },
})

async function read({ tx, tenant, principal, input }: Context<{ approvalId: string }>) {
  const [row] = await Promise.all([
    findApproval(tx, tenant.id, input.approvalId),
    requireBound(tx, tenant.id, 'approval', [input.approvalId]),
    requireBoundBelow(tx, tenant.id, 'approval_vote', input.approvalId),
    requireBoundBelow(tx, tenant.id, 'approval_question', input.approvalId),
    requireBound(tx, tenant.id, 'approval_terms', [input.approvalId]),
    requireBound(tx, tenant.id, 'approval_revision', [input.approvalId]),
  ])
  if (row === undefined) throw notFound()
  const facts = await reviewerFacts(tx, tenant, principal, row)
  const votes = await findVotes(tx, tenant.id, row.id)
  const stageOf = stagesOfVotes(votes, row.terms)
  const questions = await findQuestions(tx, tenant.id, row.id)
  const repeats = await repeatsById(tx, tenant.id, [row.id])
  const members = await findGroupMembers(tx, tenant.id, row.groupId)
  const delegates = await delegatesOf(tx, tenant, row, members)
  const seat = whyNotDecide(facts) === undefined ? facts.standsIn?.delegatorId : undefined
  const revisions = await revisionsOf(tx, tenant.id, row)
  const actor = await actorsById(tx, tenant.id, [
    row.requestedBy,
    ...revisions.memberIds,
    ...votes.flatMap((vote) => [vote.memberId, vote.onBehalfOf ?? []].flat()),
    ...questions.flatMap(({ askedBy, answeredBy }) => (answeredBy === null ? [askedBy] : [askedBy, answeredBy])),
    ...(seat === undefined ? [] : [seat]),
    ...delegates.flatMap(({ id, delegatorId }) => [id, delegatorId]),
  ])
  return {
    ...summaryOf(row, facts, actor, {
      lastVote: votes.at(-1),
      repeats: repeats.get(row.id),
      seal: row.auditId === null ? 'none' : await sealStateOf(tx, tenant.id, row.auditId),
      program: (await programsOf(tx, tenant.id, [row]))(row),
      canceled: (await canceledOf(tx, tenant.id, [row]))(row),
    }),
    subjectId: row.subjectId,
    presentation: row.presentation,
    contentDigest: await findContentDigest(tx, tenant.id, row.id),
    quorum: quorumNow(row, row.terms),
    approvalsSoFar: votesNow(votes, row, row.terms).filter(({ decision }) => decision === 'approve').length,
    stages: await stagesOf(tx, tenant.id, row),
    clock: clockOf(row),
    changes: changesOf(row, revisions.after, principal, actor),
    supersedes: await supersededOf(tx, tenant.id, row, revisions.before, actor),
    escalationLevel: row.escalationLevel,
    groupMembers: members.map(actorOf),
    delegates: delegates.map(({ id, delegatorId }) => ({ by: actor(id), onBehalfOf: actor(delegatorId) })),
    votes: votes.map((vote, index) => ({
      by: actor(vote.memberId),
      ...(vote.onBehalfOf === null ? {} : { onBehalfOf: actor(vote.onBehalfOf) }),
      decision: Decision.parse(vote.decision),
      reason: vote.reason,
      at: vote.createdAt.toISOString(),
      escalationLevel: vote.escalationLevel,
      stage: stageOf[index] ?? 0,
      auditId: vote.auditId,
      ...(vote.confirmation === null ? {} : { confirmation: Confirmation.parse(vote.confirmation) }),
    })),
    questions: questions.map(({ askedBy, answeredBy, answer, answeredAt, answerAuditId, ...asked }) => ({
      id: asked.id,
      by: actor(askedBy),
      question: asked.question,
      at: asked.askedAt.toISOString(),
      auditId: asked.auditId,
      answer:
        answeredBy === null || answer === null || answeredAt === null || answerAuditId === null
          ? null
          : { by: actor(answeredBy), text: answer, at: answeredAt.toISOString(), auditId: answerAuditId },
    })),
    mayAnswer: hasMade(row, principal.memberId),
    blocked: whyNotDecide(facts) ?? null,
    mayReject: whyNotReject(facts) === undefined,
    passkey: await passkeyStateOf(tx, { tenant, principal }, row),
    reading: await readingOf(tx, { tenant, principal }, row),
    standsInFor: seat === undefined ? undefined : actor(seat),
    erased: await findErased(tx, tenant.id, 'approval', row.id),
  }
}

/** Who could decide a pending request in the place of which member. */
async function delegatesOf(
  tx: Transaction,
  tenant: Tenant,
  row: NonNullable<ApprovalRow>,
  members: readonly { id: string; kind: string; roles: readonly string[] }[],
): Promise<StandIn[]> {
  if (row.status !== 'pending' || isStrict(row)) return []
  const able = members.filter(({ kind, roles }) => kind === 'person' && permissionsOf(roles).has('approval:decide'))
  return await standInsOf(
    tx,
    tenant,
    able.map(({ id }) => id),
    row,
  )
}
