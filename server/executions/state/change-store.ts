import { CompiledQuery } from 'kysely'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { encryptEventData, encryptExecutionValue } from './content.ts'

export type ExecutionChange = {
  status?: ExecutionStatus
  output?: JsonValue
  error?: { code: string; message: string }
  started?: boolean
  ended?: boolean
  deadlineAt?: Date
  /** The reason of a request to stop. */
  stopReason?: string
  /** Confirms that no part of the execution continues. */
  stopConfirmed?: boolean
}

/** A journal entry. `data` must already be masked, because members read it. */
export type NewEvent = { type: string; stepId?: string; data?: JsonObject }

// A constant rather than a built query, because every step runs it. The fence guards both the new state and the entries.
const changeText = `
  with changed as (
    update executions execution set revision = revision + 1, event_count = event_count + cardinality($4::text[]),
      status = coalesce($7, status), output = coalesce($8::bytea, output), error = coalesce($9::bytea, error),
      started_at = case when $10::boolean then clock_timestamp() else started_at end,
      ended_at = case when $11::boolean then clock_timestamp() else ended_at end,
      deadline_at = coalesce($12::timestamptz, deadline_at),
      stop_requested_at = case when $13::text is null then stop_requested_at else clock_timestamp() end,
      stop_reason = coalesce($13::text, stop_reason),
      stop_confirmed_at = case when $14::boolean then clock_timestamp() else stop_confirmed_at end
    where tenant_id = $1::uuid and id = $2::uuid and revision = $3::integer and ended_at is null
      and (not $15::boolean or (deadline_at is null or deadline_at >= clock_timestamp()) and not exists (
        select 1 from agents agent where agent.tenant_id = $1::uuid and agent.id = execution.agent_id
          and agent.status in ('suspended', 'retired')))
    returning event_count
  ), journaled as (
    insert into execution_events (tenant_id, execution_id, seq, type, step_id, data, created_at)
    select $1::uuid, $2::uuid, changed.event_count - cardinality($4::text[]) + entry.place, entry.type, entry.step_id,
      entry.data, clock_timestamp()
    from changed, unnest($4::text[], $5::text[], $6::bytea[]) with ordinality as entry (type, step_id, data, place)
  )
  select event_count from changed`

/**
 * The only way to change an execution: a compare-and-set on the revision, which fences off every worker with an older one, and
 * the journal entries, in one statement. False when the revision has changed; with `whileAllowed` also when the agent may no
 * longer run or the execution's time has run out.
 */
export async function changeExecution(
  tx: Transaction,
  { tenantId, id, revision }: { tenantId: string; id: string; revision: number },
  change: ExecutionChange,
  events: readonly NewEvent[],
  { whileAllowed = false }: { whileAllowed?: boolean } = {},
): Promise<boolean> {
  const cipher = await tenantCipher(tx, tenantId)
  const encrypted = (column: 'output' | 'error', value: JsonValue | undefined) =>
    value === undefined ? null : encryptExecutionValue(cipher, id, column, value)
  const { rows } = await tx.executeQuery(
    CompiledQuery.raw(changeText, [
      tenantId,
      id,
      revision,
      events.map(({ type }) => type),
      events.map(({ stepId }) => stepId ?? null),
      events.map(({ type, stepId = null, data = {} }) =>
        encryptEventData(cipher, { executionId: id, type, stepId }, data),
      ),
      change.status ?? null,
      encrypted('output', change.output),
      encrypted('error', change.error),
      change.started === true,
      change.ended === true,
      change.deadlineAt ?? null,
      change.stopReason ?? null,
      change.stopConfirmed === true,
      whileAllowed,
    ]),
  )
  return rows.length === 1
}
