import { type RawBuilder, sql } from 'kysely'
import { byteaArray, dateArray, intArray, microsArray, textArray } from '#server/kernel/db/binary-array.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'

// Telemetry arrives in thousands of spans, so each column of a batch is one parameter. Columns of spans are binary arrays. The
// few values of traces are joined by a character that none of them contains.

const separator = '\u001e'
const nothing = '\u001d'
/** Separates names in one value. */
const between = '\u001f'

/** Writes a list as one text, which PostgreSQL splits into an array of `type`. Values must not contain the two characters. */
const column = (values: readonly (string | number | null)[], type: string): RawBuilder<unknown> =>
  values.length === 0
    ? sql`'{}'::${sql.raw(type)}[]`
    : sql`string_to_array(${values.map((value) => value ?? nothing).join(separator)}::text, ${sql.lit(separator)}, ${sql.lit(nothing)})::${sql.raw(type)}[]`

/** Removes control characters from a name: they are invisible, and some of them separate values here. */
export const nameable = (name: string): string => name.replaceAll(/\p{Cc}+/gu, ' ')

export type BatchTrace = {
  traceId: string
  name: string
  agentName: string | null
  startedMicros: number
}
export type LockedTrace = {
  traceId: string
  day: string
  changeCount: number
  agentName: string | null
  /** The trace can't have any spans yet. */
  made: boolean
}

const micros = (value: RawBuilder<unknown>): RawBuilder<unknown> => sql`to_timestamp(${value} / 1e6::float8)`

/** Inserts the missing traces and locks all of them until commit. In the order of their ids, as all writers do. */
export async function lockTraces(
  tx: Transaction,
  tenantId: string,
  traces: readonly BatchTrace[],
): Promise<LockedTrace[]> {
  const sorted = [...traces].sort((a, b) => (a.traceId < b.traceId ? -1 : 1))
  const { rows } = await sql<LockedTrace>`
    insert into traces (tenant_id, trace_id, name, agent_id, agent_name, started_at)
    select ${tenantId}::uuid, i.trace_id, i.name, agents.id, i.agent_name, ${micros(sql`i.started`)}
    from unnest(${column(
      sorted.map((one) => one.traceId),
      'text',
    )}, ${column(
      sorted.map((one) => nameable(one.name)),
      'text',
    )},
      ${column(
        sorted.map((one) => one.agentName),
        'text',
      )}, ${column(
        sorted.map((one) => one.startedMicros),
        'float8',
      )})
      with ordinality as i (trace_id, name, agent_name, started, place)
    left join agents on agents.tenant_id = ${tenantId}::uuid and agents.name = i.agent_name
    order by i.place
    on conflict (tenant_id, trace_id) do update set change_count = traces.change_count
    returning trace_id, day::text as day, change_count, agent_name, (xmax = 0) as made`.execute(tx)
  return rows
}

export type KnownSpan = { traceId: string; spanId: string; origin: string; fingerprint: Buffer | null }

/** Returns those of the spans that already exist. */
export async function findKnownSpans(
  tx: Transaction,
  tenantId: string,
  spans: readonly { traceId: string; spanId: string; day: string }[],
): Promise<KnownSpan[]> {
  if (spans.length === 0) return []
  const { rows } = await sql<KnownSpan>`
    select spans.trace_id, spans.span_id, spans.origin, spans.fingerprint
    from unnest(${column(
      spans.map((one) => one.traceId),
      'text',
    )}, ${column(
      spans.map((one) => one.spanId),
      'text',
    )},
      ${column(
        spans.map((one) => one.day),
        'date',
      )}) as i (trace_id, span_id, day)
    join spans on spans.tenant_id = ${tenantId}::uuid and spans.day = i.day and spans.trace_id = i.trace_id
      and spans.span_id = i.span_id`.execute(tx)
  return rows
}

export type BatchRow = {
  traceId: string
  spanId: string
  parentSpanId: string | null
  day: string
  name: string
  kind: string
  status: string
  fingerprint: Buffer
  startedMicros: number
  endedMicros: number
  change: number
  /** The index of its leaf in the batch, or `notAdded` for a row that is omitted. */
  index: number
  /** The index of its resource in the batch. */
  resource: number | null
}

export const notAdded = -1
const noResource = -1

/** The columns that are written while spans arrive: binary arrays, in the order of the rows. */
export type WrittenColumns = { attributes: Buffer; events: Buffer; links: Buffer; facts: Buffer; sealed: Buffer }

/** Inserts spans that must not exist yet. An existing one fails the batch. */
export async function insertSpans(
  tx: Transaction,
  tenantId: string,
  auditId: string,
  rows: readonly BatchRow[],
  { attributes, events, links, facts, sealed }: WrittenColumns,
): Promise<void> {
  const of = <K extends keyof BatchRow>(key: K) => rows.map((row) => row[key])
  await sql`
    insert into spans (tenant_id, day, trace_id, span_id, parent_span_id, origin, name, kind, status, attributes, events,
      links, facts, sealed, fingerprint, audit_id, batch_index, resource_index, started_at, ended_at, start_change)
    select ${tenantId}::uuid, day, trace_id, span_id, parent_span_id, 'telemetry', name, kind, status, attributes, events,
      links, facts, case when sealed is not null then array[sealed] end, fingerprint, ${auditId}::uuid, index,
      nullif(resource, ${sql.lit(noResource)}), started, ended, change
    from unnest(${dateArray(of('day'))}::date[], ${textArray(of('traceId'))}::text[], ${textArray(of('spanId'))}::text[],
      ${textArray(of('parentSpanId'))}::text[], ${textArray(of('name'))}::text[], ${textArray(of('kind'))}::text[],
      ${textArray(of('status'))}::text[], ${attributes}::jsonb[], ${events}::jsonb[], ${links}::jsonb[], ${facts}::jsonb[],
      ${sealed}::bytea[], ${intArray(rows.map(({ resource }) => resource ?? noResource))}::int[],
      ${byteaArray(of('fingerprint'))}::bytea[], ${microsArray(of('startedMicros'))}::timestamptz[],
      ${microsArray(of('endedMicros'))}::timestamptz[], ${intArray(of('change'))}::int[], ${intArray(of('index'))}::int[])
      as i (day, trace_id, span_id, parent_span_id, name, kind, status, attributes, events, links, facts, sealed, resource,
        fingerprint, started, ended, change, index)
    where index <> ${sql.lit(notAdded)}`.execute(tx)
}

export type TraceGrowth = {
  traceId: string
  spans: number
  errors: number
  kinds: readonly string[]
  search: string
  /** The agents that its spans name, in order. */
  agents: readonly string[]
  /** The agent of the trace as far as this batch shows it. */
  agent: string | null
  startedMicros: number
  /** Name, agent and end of the span without a parent, if the batch contains it. */
  root: { name: string; agent: string | null; endedMicros: number } | undefined
}

/**
 * Adds to the counters and search columns of traces. Telemetry doesn't change the name, agent, start and end of an execution's
 * trace. Notifies the readers of each trace.
 */
export async function growTraces(tx: Transaction, tenantId: string, growth: readonly TraceGrowth[]): Promise<void> {
  await sql`
      update traces set change_count = change_count + i.spans, span_count = span_count + i.spans,
        error_count = error_count + i.errors,
        kinds = array(select distinct k from unnest(traces.kinds || string_to_array(i.kinds, ' ')) k order by k),
        search = case when position(i.search in traces.search) > 0 then traces.search
          else left(traces.search || e'\\n' || i.search, 4000) end,
        name = case when traces.execution_id is null then coalesce(i.root_name, traces.name) else traces.name end,
        agent_name = case when traces.execution_id is null then coalesce(i.root_agent, traces.agent_name, i.agent)
          else traces.agent_name end,
        agent_id = coalesce(case when traces.execution_id is null then (select id from agents
          where agents.tenant_id = ${tenantId}::uuid and agents.name = i.root_agent) end, traces.agent_id, (select id from agents where agents.tenant_id = ${tenantId}::uuid
          and agents.name = any(i.agents) order by array_position(i.agents, agents.name) limit 1)),
        started_at = case when traces.execution_id is null then least(traces.started_at, ${micros(sql`i.started`)})
          else traces.started_at end,
        ended_at = case when traces.execution_id is null then coalesce(${micros(sql`i.root_ended`)}, traces.ended_at)
          else traces.ended_at end
      from (select trace_id, spans, errors, kinds, search, string_to_array(agents, ${sql.lit(between)}) as agents, agent, started,
        root_name, root_agent, root_ended from unnest(${column(
          growth.map((one) => one.traceId),
          'text',
        )}, ${column(
          growth.map((one) => one.spans),
          'int',
        )},
        ${column(
          growth.map((one) => one.errors),
          'int',
        )}, ${column(
          growth.map((one) => one.kinds.join(' ')),
          'text',
        )},
        ${column(
          growth.map((one) => one.search),
          'text',
        )}, ${column(
          growth.map((one) => one.agents.join(between)),
          'text',
        )},
        ${column(
          growth.map((one) => one.agent),
          'text',
        )},
        ${column(
          growth.map((one) => one.startedMicros),
          'float8',
        )},
        ${column(
          growth.map((one) => one.root?.name ?? null),
          'text',
        )},
        ${column(
          growth.map((one) => one.root?.agent ?? null),
          'text',
        )},
        ${column(
          growth.map((one) => one.root?.endedMicros ?? null),
          'float8',
        )})
        as i (trace_id, spans, errors, kinds, search, agents, agent, started, root_name, root_agent, root_ended)) i
      where traces.tenant_id = ${tenantId}::uuid and traces.trace_id = i.trace_id`.execute(tx)
  for (const { traceId } of growth) notify(tx, 'trace', topicOf(tenantId, traceId))
}

/** Inserts the leaves of one batch, in order. */
export async function insertBatch(
  tx: Transaction,
  row: { tenantId: string; auditId: string; day: string; leaves: Buffer },
): Promise<void> {
  await tx.insertInto('telemetryBatches').values(row).execute()
}

export type ResourceRow = { index: number; attributes: string; sealed: Buffer | null }

export async function insertResources(
  tx: Transaction,
  batch: { tenantId: string; auditId: string; day: string },
  rows: readonly ResourceRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into batch_resources (tenant_id, audit_id, resource_index, day, attributes, sealed)
    select ${batch.tenantId}::uuid, ${batch.auditId}::uuid, index, ${batch.day}::date, attributes::jsonb, sealed
    from unnest(${intArray(rows.map(({ index }) => index))}::int[],
      ${textArray(rows.map(({ attributes }) => attributes))}::text[],
      ${byteaArray(rows.map(({ sealed }) => sealed))}::bytea[]) as i (index, attributes, sealed)`.execute(tx)
}

/** Records the agents that telemetry names, each at most once a minute, in the order of their names. */
export async function noteAgents(
  tx: Transaction,
  tenantId: string,
  agents: readonly { name: string; traceId: string }[],
): Promise<void> {
  if (agents.length === 0) return
  const sorted = [...agents].sort((a, b) => (a.name < b.name ? -1 : 1))
  await sql`
    insert into observed_agents (tenant_id, name, last_trace_id)
    select ${tenantId}::uuid, i.name, i.trace_id
    from unnest(${column(
      sorted.map((one) => one.name),
      'text',
    )}, ${column(
      sorted.map((one) => one.traceId),
      'text',
    )})
      with ordinality as i (name, trace_id, place)
    where not exists (select 1 from observed_agents o where o.tenant_id = ${tenantId}::uuid and o.name = i.name
      and o.last_seen_at > now() - interval '1 minute')
    order by i.place
    on conflict (tenant_id, name) do update set last_seen_at = now(), last_trace_id = excluded.last_trace_id`.execute(
    tx,
  )
}

/** Returns those of the traces that exist and belong to a registered agent. */
export const listAgentsOfTraces = async (tx: Transaction, tenantId: string, traceIds: readonly string[]) => {
  const { rows } = await sql<{ traceId: string; agentId: string }>`
    select trace_id, agent_id from traces
    where tenant_id = ${tenantId}::uuid and trace_id = any(${column(traceIds, 'text')}) and agent_id is not null`.execute(
    tx,
  )
  return rows
}

/** Returns the agents of those of the traces that exist, by their ids; null for a trace of which no span names one. */
export const listNamesOfTraces = async (tx: Transaction, tenantId: string, traceIds: readonly string[]) => {
  const { rows } = await sql<{ traceId: string; agentName: string | null }>`
    select trace_id, agent_name from traces
    where tenant_id = ${tenantId}::uuid and trace_id = any(${column(traceIds, 'text')})`.execute(tx)
  return new Map(rows.map(({ traceId, agentName }) => [traceId, agentName]))
}
