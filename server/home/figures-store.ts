import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

// Counts of what ended, day by day. Each reads one range of an index per day, and no rows (decision 0093).

/** Days as [start, end), the oldest first. */
export type Day = { from: Date; to: Date }

const daysOf = (days: readonly Day[]) => sql`
  unnest(${days.map(({ from }) => from)}::timestamptz[], ${days.map(({ to }) => to)}::timestamptz[])
    with ordinality as day (begins, ends, number)`

/** Executions of these states have not done what they were started for. */
const failed = sql`status in ('failed', 'timed_out', 'indeterminate')`

export async function countDecisions(tx: Transaction, tenantId: string, days: readonly Day[]) {
  const { rows } = await sql<{ approved: number; rejected: number; expired: number; medianSeconds: number | null }>`
    select figures.* from ${daysOf(days)}
    cross join lateral (
      select (count(*) filter (where status = 'approved'))::integer as approved,
        (count(*) filter (where status = 'rejected'))::integer as rejected,
        (count(*) filter (where status = 'expired'))::integer as expired,
        percentile_cont(0.5) within group (order by extract(epoch from decided_at - requested_at)::double precision)
          filter (where status in ('approved', 'rejected')) as "medianSeconds"
      from approvals
      where tenant_id = ${tenantId} and decided_at >= day.begins and decided_at < day.ends) figures
    order by day.number`.execute(tx)
  return rows
}

export async function countRuns(tx: Transaction, tenantId: string, days: readonly Day[]) {
  const { rows } = await sql<{ ended: number; failed: number }>`
    select figures.* from ${daysOf(days)}
    cross join lateral (
      select count(*)::integer as ended, (count(*) filter (where ${failed}))::integer as failed
      from executions
      where tenant_id = ${tenantId} and ended_at >= day.begins and ended_at < day.ends) figures
    order by day.number`.execute(tx)
  return rows
}

/** `day` counts from 0. */
export async function countRunsOfAgents(
  tx: Transaction,
  tenantId: string,
  agentIds: readonly string[],
  days: readonly Day[],
) {
  const { rows } = await sql<{ agentId: string; day: number; ended: number; failed: number }>`
    select figures.*, day.number::integer - 1 as day from ${daysOf(days)}
    cross join lateral (
      select agent_id as "agentId", count(*)::integer as ended, (count(*) filter (where ${failed}))::integer as failed
      from executions
      where tenant_id = ${tenantId} and ended_at >= day.begins and ended_at < day.ends
        and agent_id = any(${[...agentIds]}::uuid[])
      group by agent_id) figures`.execute(tx)
  return rows
}

/** `day` counts from 0. Millionths of the currency. */
export async function sumCosts(tx: Transaction, tenantId: string, days: readonly Day[]) {
  const { rows } = await sql<{ currency: string; day: number; micros: string }>`
    select figures.*, day.number::integer - 1 as day from ${daysOf(days)}
    cross join lateral (
      select currency, sum(charged_micros)::text as micros
      from execution_charges
      where tenant_id = ${tenantId} and settled_at >= day.begins and settled_at < day.ends and currency is not null
      group by currency) figures
    order by currency`.execute(tx)
  return rows
}

/** The windows with the smallest remaining share. Those of single executions don't end, and are left out. */
export async function listTightBudgets(tx: Transaction, tenantId: string, limit: number) {
  const { rows } = await sql<{
    id: string
    policyId: string
    policyName: string
    rule: string
    unit: string
    quota: string
    used: string
    endsAt: Date
    agentName: string | null
  }>`
    select held.id, held.policy_id as "policyId", policy.name as "policyName", held.rule, held.unit,
      held.quota::text as quota, held.used::text as used, held.ends_at as "endsAt", agent.display_name as "agentName"
    from policy_budget_windows held
    join policies policy on policy.tenant_id = held.tenant_id and policy.id = held.policy_id
    left join agents agent on agent.tenant_id = held.tenant_id and agent.id = held.agent_id
    where held.tenant_id = ${tenantId} and held.ends_at > clock_timestamp()
    order by held.used::numeric / greatest(held.quota, 1) desc, held.id
    limit ${limit}`.execute(tx)
  return rows
}

/** Executions that have not ended, by state. */
export async function countUnderWay(tx: Transaction, tenantId: string) {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*)::integer as count from executions
    where tenant_id = ${tenantId} and ended_at is null group by status`.execute(tx)
  return rows
}

/** The newest execution of each of these agents, and how many have not ended. */
export async function listNewestRuns(tx: Transaction, tenantId: string, agentIds: readonly string[]) {
  const { rows } = await sql<{
    agentId: string
    executionId: string | null
    status: string | null
    startedAt: Date | null
    running: number
    waitingInput: number
  }>`
    select agent.id as "agentId", last.id as "executionId", last.status, last.created_at as "startedAt",
      live.running, live.waiting_input as "waitingInput"
    from agents agent
    left join lateral (
      select id, status, created_at from executions
      where tenant_id = ${tenantId} and agent_id = agent.id order by id desc limit 1) last on true
    cross join lateral (
      select (count(*) filter (where status in ('queued', 'running')))::integer as running,
        (count(*) filter (where status = 'waiting_input'))::integer as waiting_input
      from executions where tenant_id = ${tenantId} and agent_id = agent.id and ended_at is null) live
    where agent.tenant_id = ${tenantId} and agent.id = any(${[...agentIds]}::uuid[])`.execute(tx)
  return rows
}

export async function countPendingOfAgents(tx: Transaction, tenantId: string, agentIds: readonly string[]) {
  const { rows } = await sql<{ agentId: string; count: number }>`
    select agent_id as "agentId", count(*)::integer as count from approvals
    where tenant_id = ${tenantId} and status = 'pending' and agent_id = any(${[...agentIds]}::uuid[])
    group by agent_id`.execute(tx)
  return rows
}
