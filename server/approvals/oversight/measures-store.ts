import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

export type Measures = {
  groupId: string
  decided: number
  approved: number
  rejected: number
  /** Votes within `quickSeconds` of the request. */
  quick: number
  /** In seconds; null without votes of that kind. */
  median: number | null
  medianShort: number | null
  medianLong: number | null
}

/**
 * How each group decided since a moment. "Short" and "long" requests are those below and above the group's median, by the size of
 * what there was to read; requests whose content was removed are neither.
 */
export async function measureVotes(
  tx: Transaction,
  tenantId: string,
  since: Date,
  quickSeconds: number,
): Promise<Measures[]> {
  const { rows } = await sql<Measures>`
    with given as (
      select a.group_id, v.decision, extract(epoch from v.created_at - a.requested_at)::double precision as seconds,
        case when not content_gone(a.presentation) then octet_length(a.presentation) end as size
      from approval_votes v join approvals a on a.tenant_id = v.tenant_id and a.id = v.approval_id
      where v.tenant_id = ${tenantId} and v.created_at >= ${since} and v.decision <> 'escalate'
        and v.escalation_level = a.escalation_level),
    middle as (select group_id, percentile_cont(0.5) within group (order by size) as size from given group by group_id)
    select given.group_id as "groupId", count(*)::integer as decided,
      (count(*) filter (where decision = 'approve'))::integer as approved,
      (count(*) filter (where decision = 'reject'))::integer as rejected,
      (count(*) filter (where seconds < ${quickSeconds}))::integer as quick,
      percentile_cont(0.5) within group (order by seconds) as median,
      percentile_cont(0.5) within group (order by seconds) filter (where given.size <= middle.size) as "medianShort",
      percentile_cont(0.5) within group (order by seconds) filter (where given.size > middle.size) as "medianLong"
    from given join middle on middle.group_id = given.group_id
    group by given.group_id`.execute(tx)
  return rows
}

/** How many votes each member gave in each group. */
export async function countVoters(
  tx: Transaction,
  tenantId: string,
  since: Date,
): Promise<{ groupId: string; memberId: string; votes: number }[]> {
  const { rows } = await sql<{ groupId: string; memberId: string; votes: number }>`
    select a.group_id as "groupId", v.member_id as "memberId", count(*)::integer as votes
    from approval_votes v join approvals a on a.tenant_id = v.tenant_id and a.id = v.approval_id
    where v.tenant_id = ${tenantId} and v.created_at >= ${since} and v.decision <> 'escalate'
      and v.escalation_level = a.escalation_level
    group by a.group_id, v.member_id order by votes desc, v.member_id`.execute(tx)
  return rows
}

/** How many requests of each group expired. */
export async function countExpired(
  tx: Transaction,
  tenantId: string,
  since: Date,
): Promise<{ groupId: string; expired: number }[]> {
  const { rows } = await sql<{ groupId: string; expired: number }>`
    select group_id as "groupId", count(*)::integer as expired from approvals
    where tenant_id = ${tenantId} and status = 'expired' and decided_at >= ${since}
    group by group_id`.execute(tx)
  return rows
}
