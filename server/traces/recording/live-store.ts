import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { StoredAttribute } from '#server/traces/attributes.ts'

// The spans of executions, one change at a time: number, counters and span in one statement. The trace is locked first, so
// that its numbers are assigned in the order of the commits. Each function returns whether the trace exists, and whether it
// changed.

type Change = { known: boolean; changed: boolean }

const attributesJson = (attributes: readonly StoredAttribute[]): RawBuilder<never> =>
  sql<never>`${JSON.stringify(attributes)}::jsonb`

/**
 * Does nothing if the execution's span already exists. Its id can be derived from the trace id: a span of telemetry that has
 * taken the id is replaced, so its leaf in its batch can no longer be recomputed.
 */
export async function insertSpan(
  tx: Transaction,
  row: {
    tenantId: string
    traceId: string
    spanId: string
    parentSpanId: string | null
    name: string
    kind: string
    attributes: readonly StoredAttribute[]
    sealed: Buffer | null
    startedAt: Date | string
    /** Set for a span that has ended before it is announced. */
    ended: { at: Date | string; status: 'ok' | 'error' } | null
  },
): Promise<Change> {
  const { tenantId, traceId, spanId, kind, name, ended } = row
  const changes = ended === null ? 1 : 2
  const { rows } = await sql<Change>`
    with trace as (
      update traces set change_count = change_count + ${changes}::integer, span_count = span_count + 1,
        error_count = error_count + ${ended?.status === 'error' ? 1 : 0}::integer,
        kinds = case when ${kind} = any(kinds) then kinds else kinds || ${kind}::text end,
        search = case when position(lower(${name}) in search) > 0 then search
          else left(search || e'\\n' || lower(${name}), 4000) end
      where tenant_id = ${tenantId} and trace_id = ${traceId} and not exists (
        select 1 from spans where spans.tenant_id = ${tenantId} and spans.day = traces.day
          and spans.trace_id = ${traceId} and spans.span_id = ${spanId} and spans.origin = 'execution')
      returning day, change_count
    ), made as (
      insert into spans (tenant_id, day, trace_id, span_id, parent_span_id, origin, name, kind, status, attributes, sealed,
        started_at, start_change, ended_at, end_change)
      select ${tenantId}::uuid, day, ${traceId}::text, ${spanId}::text, ${row.parentSpanId}::text, 'execution', ${name}::text, ${kind}::text,
        ${ended?.status ?? 'unset'}::text,
        ${attributesJson(row.attributes)}, case when ${row.sealed}::bytea is null then null else array[${row.sealed}::bytea] end,
        ${row.startedAt}::timestamptz, change_count - ${changes - 1}::integer, ${ended?.at ?? null}::timestamptz,
        case when ${ended !== null}::boolean then change_count end
      from trace
      on conflict (tenant_id, day, trace_id, span_id) do update set origin = excluded.origin, name = excluded.name,
        parent_span_id = excluded.parent_span_id, kind = excluded.kind, status = excluded.status, status_message = null,
        attributes = excluded.attributes, sealed = excluded.sealed, events = '[]', links = '[]', facts = '{}', fingerprint = null,
        audit_id = null, batch_index = null, resource_index = null, started_at = excluded.started_at,
        ended_at = excluded.ended_at, start_change = excluded.start_change, end_change = excluded.end_change
      where spans.origin = 'telemetry'
      returning trace_id
    )
    select exists (select 1 from traces where tenant_id = ${tenantId} and trace_id = ${traceId}) as known,
      exists (select 1 from made) as changed`.execute(tx)
  return rows[0] ?? { known: false, changed: false }
}

/** Does nothing unless the span exists and is still open. */
export async function setSpanEnded(
  tx: Transaction,
  end: {
    tenantId: string
    traceId: string
    spanId: string
    status: 'unset' | 'ok' | 'error'
    attributes: readonly StoredAttribute[]
    sealed: Buffer | null
    endedAt: Date | string
  },
): Promise<Change> {
  const { tenantId, traceId, spanId, status } = end
  const { rows } = await sql<Change>`
    with trace as (
      update traces set change_count = change_count + 1, error_count = error_count + ${status === 'error' ? 1 : 0}
      where tenant_id = ${tenantId} and trace_id = ${traceId} and exists (
        select 1 from spans where spans.tenant_id = ${tenantId} and spans.day = traces.day
          and spans.trace_id = ${traceId} and spans.span_id = ${spanId} and spans.ended_at is null)
      returning day, change_count
    ), ended as (
      update spans set status = ${status},
        attributes = attributes || ${attributesJson(end.attributes)},
        sealed = case when ${end.sealed}::bytea is null then sealed else coalesce(sealed, '{}') || ${end.sealed}::bytea end,
        ended_at = ${end.endedAt}::timestamptz, end_change = trace.change_count
      from trace
      where spans.tenant_id = ${tenantId} and spans.day = trace.day and spans.trace_id = ${traceId}
        and spans.span_id = ${spanId} and spans.ended_at is null
      returning spans.trace_id
    )
    select exists (select 1 from traces where tenant_id = ${tenantId} and trace_id = ${traceId}) as known,
      exists (select 1 from ended) as changed`.execute(tx)
  return rows[0] ?? { known: false, changed: false }
}

/** Does nothing if it has already ended. */
export async function setTraceEnded(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  endedAt: Date | string,
): Promise<Change> {
  const { rows } = await sql<Change>`
    with ended as (
      update traces set change_count = change_count + 1, ended_at = ${endedAt}::timestamptz
      where tenant_id = ${tenantId} and trace_id = ${traceId} and ended_at is null
      returning trace_id
    )
    select exists (select 1 from traces where tenant_id = ${tenantId} and trace_id = ${traceId}) as known,
      exists (select 1 from ended) as changed`.execute(tx)
  return rows[0] ?? { known: false, changed: false }
}
