import { CompiledQuery, sql } from 'kysely'
import { knownEnds } from '#server/kernel/bound/adopted.ts'
import { checkedFrom, objectJson, objectsBelowJson } from '#server/kernel/bound/joined-store.ts'
import { changedRow } from '#server/kernel/bound/known.ts'
import type { Checked } from '#server/kernel/bound/store.ts'
import { boundType, type KnownRow } from '#server/kernel/bound/types.ts'
import { type Transaction, writeKnown } from '#server/kernel/db/closing.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { readChannelsFor } from '#server/notifications/channel-store.ts'
import { type LinkRow, readLinksAround } from '#server/tenants/account-link-store.ts'
import { readMappedSeats, readSeats } from '#server/tenants/provider/seat-store.ts'
import { readSponsors } from '#server/tenants/store.ts'
import { readActiveDelegators } from './delegations/store.ts'
import { columns, computedColumns, lockRow, type StoredApproval, typed } from './store.ts'
import type { findVotes, NewVote } from './vote-store.ts'

type Vote = Awaited<ReturnType<typeof findVotes>>[number]

const [approvals, votes, terms, members, seats] = [
  boundType('approval'),
  boundType('approval_vote'),
  boundType('approval_terms'),
  boundType('member'),
  boundType('approver_group_member'),
]

/** Everything that a decision on a request depends on, in one statement: after the lock, because its wait may change all of it. */
const read = fixedStatement(
  { tenantId: '', approvalId: '', memberId: '' },
  (tx, { tenantId, approvalId, memberId }) => {
    const [id, member, group] = [sql`${approvalId}::uuid`, sql`${memberId}::uuid`, sql.ref('approvals.groupId')]
    return tx
      .selectFrom(sql<{ one: number }>`(select 1 as one)`.as('one'))
      .leftJoin('approvals', (join) => join.on('approvals.tenantId', '=', tenantId).on('approvals.id', '=', approvalId))
      .select(columns.map((column) => `approvals.${column}` as const))
      .select(computedColumns)
      .select((e) => [
        e
          .selectFrom('approverGroups as g')
          .select('g.displayName')
          .where('g.tenantId', '=', tenantId)
          .whereRef('g.id', '=', 'approvals.groupId')
          .as('groupName'),
        e
          .exists(
            e
              .selectFrom(readSeats(tx, tenantId).as('link'))
              .select('link.memberId')
              .where('link.memberId', '=', memberId)
              .whereRef('link.groupId', '=', 'approvals.groupId'),
          )
          .as('inGroup'),
        // Who has any of these is read in more detail.
        e.exists(readActiveDelegators(tx, tenantId, memberId)).as('hasDelegators'),
        e.exists(readSponsors(tx, tenantId, [memberId])).as('hasSponsors'),
        e
          .exists(
            readMappedSeats(tx, tenantId)
              .select('mapping.id')
              .where('named.memberId', '=', memberId)
              .where(sql<boolean>`mapping.group_id = approvals.group_id`),
          )
          .as('hasMappedSeats'),
        sql<string[]>`array(${readChannelsFor(tx, tenantId, 'approval.decided')})`.as('channels'),
        sql<LinkInJson[] | null>`(select json_agg(json_build_object('id', l.id, 'accountId', l.account_id,
          'accountName', l.account_name, 'holder', l.holder, 'holderId', l.holder_id, 'holderName', l.holder_name,
          'kind', l.kind, 'createdAt', l.created_at, 'proof', l.proof, 'provedAt', l.proved_at))
        from (${readLinksAround(tenantId, memberId)}) l)`.as('links'),
        objectJson(approvals, id, [id]).as('boundApproval'),
        objectJson(terms, id, [id]).as('boundTerms'),
        objectJson(members, member, [member]).as('boundMember'),
        objectJson(seats, sql`${group}::text || '/' || ${memberId}::text`, [group, member]).as('boundSeat'),
        objectsBelowJson(votes, id).as('boundVotes'),
      ])
  },
)

type LinkInJson = Omit<LinkRow, 'createdAt' | 'provedAt'> & { createdAt: string; provedAt: string | null }

/** Locks a request, and reads everything that a decision of this member depends on. The approval is undefined if it does not exist. */
export async function lockForDecision(
  tx: Transaction,
  values: { tenantId: string; approvalId: string; memberId: string },
) {
  const ends = knownEnds(values.tenantId)
  const [, [found]] = await inOneWrite(tx, [
    () => lockRow(tx, values.tenantId, values.approvalId),
    () => read(tx, values),
  ])
  if (found === undefined) throw new Error('unreachable: one row')
  const { groupName, inGroup, hasDelegators, hasSponsors, hasMappedSeats, channels, links, ...row } = found
  const { boundApproval, boundTerms, boundMember, boundSeat, boundVotes, ...approval } = row
  const votesFound = checkedFrom(boundVotes)
  return {
    approval:
      approval.id === null ? undefined : typed(await tenantCipher(tx, values.tenantId), approval as StoredApproval),
    votes: votesFound.flatMap(voteOf).sort((a, b) => (a.id < b.id ? -1 : 1)),
    isPlain: !hasDelegators && !hasSponsors && !hasMappedSeats && votesFound.length === 0,
    facts: { inGroup: Boolean(inGroup), groupName: groupName ?? undefined, links: (links ?? []).map(linkOf) },
    channels,
    bound: {
      approval: checkedFrom(boundApproval),
      approval_vote: votesFound,
      approval_terms: checkedFrom(boundTerms),
      member: checkedFrom(boundMember),
    },
    seat: checkedFrom(boundSeat),
    ends,
  }
}

export type Locked = Awaited<ReturnType<typeof lockForDecision>>

/** A vote from the row that its state is compared with, which has all of its columns. */
function voteOf({ row }: Checked): Vote[] {
  if (row === null) return []
  const { createdAt, ...vote } = JSON.parse(row) as Omit<Vote, 'createdAt'> & { createdAt: string }
  return [{ ...vote, createdAt: new Date(createdAt) }]
}

const linkOf = ({ createdAt, provedAt, ...link }: LinkInJson): LinkRow => ({
  ...link,
  createdAt: new Date(createdAt),
  provedAt: provedAt === null ? null : new Date(provedAt),
})

/** The vote that ends a request or keeps it pending. */
export type Decision = {
  tenantId: string
  approvalId: string
  revision: number
  status: 'pending' | 'approved' | 'rejected'
  /** The time of the database's clock. */
  at: Date
  auditId: string
  vote: NewVote
}

/** Writes a vote, and what becomes of its request, which the transaction has locked, with the COMMIT. */
export async function writeDecision(tx: Transaction, locked: Locked, decision: Decision): Promise<void> {
  const { tenantId, approvalId, revision, status, at, auditId, vote } = decision
  const { id, memberId, onBehalfOf, reason, escalationLevel, confirmation } = vote
  const proof = confirmation === undefined ? null : JSON.stringify(confirmation)
  await writeKnown(tx, {
    tenantId,
    call: CompiledQuery.raw(callText, [
      tenantId,
      approvalId,
      revision,
      status,
      at,
      auditId,
      id,
      memberId,
      onBehalfOf,
      vote.decision,
      reason,
      escalationLevel,
      proof,
    ]),
    rows: [approvalAfter(locked, decision), voteRow(decision)],
  })
}

const callText = 'decide_approval($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb)'

function approvalAfter({ bound }: Locked, { approvalId, revision, status, at, auditId }: Decision): KnownRow {
  const [before] = bound.approval
  if (before === undefined || before.row === null) throw new Error('unreachable: the request exists')
  const decided = status === 'pending' ? {} : { status, auditId, decidedAt: at.toISOString() }
  const row = changedRow(before.row, { ...decided, revision: revision + 1 })
  return { bound: approvals, id: approvalId, row, before: before.bound }
}

function voteRow({ approvalId, at, auditId, vote }: Decision): KnownRow {
  const { confirmation = null, ...values } = vote
  const row = JSON.stringify({ ...values, approvalId, auditId, confirmation, createdAt: at.toISOString() })
  return { bound: votes, id: `${approvalId}/${vote.id}`, row, before: null }
}
