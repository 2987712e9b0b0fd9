import { sql } from 'kysely'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

type Ids = { id: string }[]
const idsOf = (rows: Ids) => rows.map((row) => row.id)

/** Requests a stop of an agent's executions with these statuses, with a journal entry each. `isA2a`: it may have an open task. */
export async function stopExecutions(
  tx: Transaction,
  tenantId: string,
  agentId: string,
  reason: string,
  statuses: readonly ExecutionStatus[],
): Promise<{ id: string; isA2a: boolean }[]> {
  const { rows } = await sql<{ id: string; isA2a: boolean }>`
    with changed as (
      update executions set revision = revision + 1, event_count = event_count + 1, parked_at = null,
        stop_requested_at = coalesce(stop_requested_at, clock_timestamp()), stop_reason = coalesce(stop_reason, ${reason})
      where tenant_id = ${tenantId} and agent_id = ${agentId} and ended_at is null and status = any(${[...statuses]}::text[])
      returning id, event_count, release_id
    ), journaled as (
      insert into execution_events (tenant_id, execution_id, seq, type, created_at)
      select ${tenantId}, id, event_count, 'execution.stop_requested', clock_timestamp() from changed
    )
    select changed.id, release.content -> 'spec' -> 'runtime' ? 'a2a' as "isA2a"
    from changed join releases release on release.tenant_id = ${tenantId} and release.id = changed.release_id`.execute(
    tx,
  )
  return rows
}

/** Parks every execution of an agent that has not ended and was not asked to stop, which are the waiting ones. */
export async function parkExecutions(tx: Transaction, tenantId: string, agentId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with changed as (
      update executions set revision = revision + 1, event_count = event_count + 1, parked_at = clock_timestamp()
      where tenant_id = ${tenantId} and agent_id = ${agentId} and ended_at is null and stop_requested_at is null
        and parked_at is null
      returning id, event_count
    ), journaled as (
      insert into execution_events (tenant_id, execution_id, seq, type, created_at)
      select ${tenantId}, id, event_count, 'execution.parked', clock_timestamp() from changed
    )
    select id from changed`.execute(tx)
  return idsOf(rows)
}

/** Resumes the parked executions of an agent. */
export async function releaseParked(tx: Transaction, tenantId: string, agentId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with changed as (
      update executions set revision = revision + 1, event_count = event_count + 1, parked_at = null
      where tenant_id = ${tenantId} and agent_id = ${agentId} and ended_at is null and parked_at is not null
      returning id, event_count
    ), journaled as (
      insert into execution_events (tenant_id, execution_id, seq, type, created_at)
      select ${tenantId}, id, event_count, 'execution.resumed', clock_timestamp() from changed
    )
    select id from changed`.execute(tx)
  return idsOf(rows)
}
