import { type ReviewerFacts, whyNotDecide } from '#lib/rules/approvals.ts'
import { amountIn } from '#lib/rules/effect.ts'
import type { Canceled } from '#lib/schemas/approvals/canceled.ts'
import type { CallingProgram } from '#lib/schemas/approvals/program.ts'
import { ApprovalKind, type ApprovalSummary } from '#lib/schemas/approvals.ts'
import type { Actor } from '#lib/schemas/common.ts'
import { type SealState, sealStatesOf } from '#server/audit/seal-state.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { requireBoundTogether } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { canceledOf } from './ending/canceled.ts'
import { programsOf } from './program/program.ts'
import { findRepeats, type Repeats } from './repeats/history-store.ts'
import { reviewerFactsOfAll } from './reviewer.ts'
import type { ApprovalRow } from './store.ts'
import { clockOf } from './terms/view.ts'
import { findVotesOn } from './vote-store.ts'

type Row = NonNullable<ApprovalRow>

type LastVote = { memberId: string; reason: string }

type Around = {
  lastVote: LastVote | undefined
  repeats: Repeats | undefined
  seal: SealState
  program: CallingProgram | undefined
  canceled: Canceled | undefined
}

export function summaryOf(
  row: Row,
  facts: ReviewerFacts,
  actor: (id: string) => Actor,
  { lastVote, repeats, seal, program, canceled }: Around,
): ApprovalSummary {
  const decision = isDecided(row) ? lastVote : undefined
  const blocked = whyNotDecide(facts)
  return {
    approvalId: row.id,
    kind: ApprovalKind.parse(row.kind),
    status: row.status,
    title: row.presentation.title,
    ...(row.presentation.card?.title == null ? {} : { cardTitle: row.presentation.card.title }),
    risk: row.presentation.risk,
    agentId: row.presentation.agent?.id ?? null,
    agentName: row.presentation.agent?.displayName ?? null,
    agentVersion: row.presentation.agent?.version ?? null,
    environment: row.presentation.environment,
    action: row.presentation.action,
    resource: row.presentation.resource,
    payloadDigest: row.payloadDigest,
    amount: amountIn(row.presentation.arguments),
    facts: row.presentation.card?.facts ?? [],
    requestedBy: actor(row.requestedBy),
    ...(program === undefined ? {} : { program }),
    requestedAt: row.requestedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    clockStopped: clockOf(row).stopped !== null,
    group: facts.groupName,
    eligible: blocked === undefined,
    ineligibleReason: blocked?.message ?? null,
    ineligibleCode: blocked?.code ?? null,
    revision: row.revision,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decidedBy: decision === undefined ? null : actor(decision.memberId),
    reason: decision?.reason ?? null,
    ...(canceled === undefined ? {} : { canceled }),
    auditId: row.auditId,
    seal,
    usedAt: row.usedAt?.toISOString() ?? null,
    repeats: repeats === undefined ? null : shown(repeats),
  }
}

const shown = ({ approvedId, approvedAt, pending }: Repeats): ApprovalSummary['repeats'] => ({
  approved:
    approvedId === null || approvedAt === null ? null : { approvalId: approvedId, decidedAt: approvedAt.toISOString() },
  pending,
})

/** By people: one that expired may have votes, but none of them ended it. */
const isDecided = ({ status }: Row): boolean => status === 'approved' || status === 'rejected'

/** By the id of the request. */
export async function repeatsById(
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Repeats>> {
  if (ids.length === 0) return new Map()
  const found = await findRepeats(tx, tenantId, ids)
  return new Map(found.map((one) => [one.approvalId, one]))
}

/**
 * A page of approvals from the caller's view. Throws IntegrityFailed if one of them, or the vote that ended it, is not the one that
 * the log commits to.
 */
export async function summaries(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  rows: readonly Row[],
): Promise<ApprovalSummary[]> {
  const ids = rows.map(({ id }) => id)
  const decided = new Set(rows.filter(isDecided).map((row) => row.id))
  const votes = findVotesOn(tx, tenant.id, ids)
  // Pending requests do not wait for them: they are read together with the rest.
  const ended = decided.size === 0 ? [] : (await votes).filter((vote) => decided.has(vote.approvalId))
  const lastVotes = new Map(ended.map((vote) => [vote.approvalId, vote]))
  const voters = [...lastVotes.values()].map((vote) => vote.memberId)
  const checked = requireBoundTogether(tx, tenant.id, {
    approval: ids,
    approval_vote: [...lastVotes.values()].map(({ approvalId, id }) => `${approvalId}/${id}`),
  })
  const read = Promise.all([
    actorsById(tx, tenant.id, [...rows.map((row) => row.requestedBy), ...voters]),
    reviewerFactsOfAll(tx, tenant, principal, rows, votes),
    repeatsById(tx, tenant.id, ids),
    sealStatesOf(
      tx,
      tenant.id,
      rows.flatMap(({ auditId }) => auditId ?? []),
    ),
    programsOf(tx, tenant.id, rows),
    canceledOf(tx, tenant.id, rows),
  ])
  // A row that was tampered with may make a read fail as well: its alarm has precedence.
  read.catch(() => undefined)
  await checked
  const [actor, facts, repeats, sealOf, programOf, canceledIn] = await read
  return rows.flatMap((row, index) => {
    const known = facts[index]
    return known === undefined
      ? []
      : [
          summaryOf(row, known, actor, {
            lastVote: lastVotes.get(row.id),
            repeats: repeats.get(row.id),
            seal: row.auditId === null ? 'none' : sealOf(row.auditId),
            program: programOf(row),
            canceled: canceledIn(row),
          }),
        ]
  })
}
