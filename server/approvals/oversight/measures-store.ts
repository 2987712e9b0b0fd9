import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

export type Measures = {
  groupId: string
  decided: number
  approved: number
  rejected: number
  /** Votes within `quickSeconds` of the moment at which their group was asked. */
  quick: number
  /** In seconds; null without votes of that kind. */
  median: number | null
  medianShort: number | null
  medianLong: number | null
}

/**
 * The votes since a moment that count: those of the current stage, and those that ended earlier ones (terms/stages.ts). Each with
 * the group that was asked, and the time since it was: since the request, since the vote that ended the stage before, or since the
 * escalation, by a vote or by the clock. An escalated stage was decided by the escalation group.
 */
const given = (tenantId: string, since: Date) => sql`
  select case when ended.stage is null then a.group_id
      when v.escalation_level > coalesce(previous.level, 0)
        then (select id from approver_groups where tenant_id = ${tenantId} and name = 'escalation')
      else (t.stages -> ended.stage ->> 'groupId')::uuid end as group_id,
    extract(epoch from v.created_at - coalesce(escalated.at, previous.at, a.requested_at))::double precision as seconds,
    v.decision, v.member_id, case when not content_gone(a.presentation) then octet_length(a.presentation) end as size
  from approval_votes v
  join approvals a on a.tenant_id = v.tenant_id and a.id = v.approval_id
  left join approval_terms t on t.tenant_id = v.tenant_id and t.approval_id = v.approval_id
  left join lateral (select one.number::integer - 1 as stage
    from jsonb_array_elements(t.stage_votes) with ordinality as one (votes, number)
    where one.votes ? v.id::text) ended on true
  left join lateral (select max(p.created_at) as at, max(p.escalation_level) as level from approval_votes p
    where p.tenant_id = v.tenant_id and p.approval_id = v.approval_id and coalesce(ended.stage, t.stage) > 0
      and t.stage_votes -> (coalesce(ended.stage, t.stage) - 1) ? p.id::text) previous on true
  left join lateral (select coalesce(
      (select e.created_at from approval_votes e where e.tenant_id = v.tenant_id and e.approval_id = v.approval_id
        and e.decision = 'escalate' and e.escalation_level = v.escalation_level - 1),
      (select r.created_at from audit_records r where r.tenant_id = v.tenant_id and r.resource_id = v.approval_id::text
        and r.type = 'approval.escalated'
        and r.record -> 'details' ->> 'escalationLevel' = v.escalation_level::text limit 1)) as at
    where v.escalation_level > coalesce(previous.level, 0)) escalated on true
  where v.tenant_id = ${tenantId} and v.created_at >= ${since} and v.decision <> 'escalate'
    and (ended.stage is not null or v.escalation_level = a.escalation_level)`

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
    with given as (${given(tenantId, since)}),
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
    select group_id as "groupId", member_id as "memberId", count(*)::integer as votes
    from (${given(tenantId, since)}) given
    group by group_id, member_id order by votes desc, member_id`.execute(tx)
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
