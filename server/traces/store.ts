import { sql } from 'kysely'
import { rowObjectJson } from '#server/kernel/bound/joined-store.ts'
import { boundType } from '#server/kernel/bound/types.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { preparedText } from '#server/kernel/db/statements/constant-text.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

const skeletonColumns = [
  'spanId',
  'parentSpanId',
  'origin',
  'name',
  'kind',
  'status',
  'startedAt',
  'endedAt',
  // A message of telemetry is one of its attributes; the leaf of its span does not cover the column.
  sql<string | null>`case when origin = 'execution' then status_message end`.as('statusMessage'),
] as const

/** Returns false if the execution's trace already exists. A trace that telemetry began becomes the execution's. */
export async function insertTrace(
  tx: Transaction,
  row: {
    tenantId: string
    traceId: string
    executionId: string | null
    agentId: string | null
    name: string
    startedAt: Date | string
  },
): Promise<boolean> {
  const { tenantId, traceId, executionId, agentId, name, startedAt } = row
  const { rows } = await sql<{ started: boolean }>`
    select start_trace(${tenantId}, ${traceId}, ${executionId}, ${agentId}, ${name}, ${startedAt}) as started`.execute(
    tx,
  )
  return rows[0]?.started === true
}

export const findTrace = (tx: Transaction, tenantId: string, traceId: string) =>
  tx
    .selectFrom('traces')
    .select(['traceId', 'day', 'name', 'executionId', 'agentId', 'changeCount', 'spanCount', 'errorCount'])
    .select(['startedAt', 'endedAt'])
    .select((select) =>
      select.fn
        .coalesce(
          select
            .selectFrom('agents')
            .select('agents.displayName')
            .whereRef('agents.tenantId', '=', 'traces.tenantId')
            .whereRef('agents.id', '=', 'traces.agentId'),
          'traces.agentName',
        )
        .as('agentName'),
    )
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .executeTakeFirst()

/**
 * Whether nothing more is recorded in a trace: that of an execution ends with it, even if it never began. Spans of external agents
 * may arrive at any time, with times of their own, so nothing says that such a trace is complete.
 */
export async function isTraceOver(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  executionId: string | undefined,
): Promise<boolean> {
  const { rows } = await sql<{ over: boolean }>`
    select coalesce(
      (select execution_id is not null and ended_at is not null
        from traces where tenant_id = ${tenantId} and trace_id = ${traceId}),
      (select ended_at is not null from executions where tenant_id = ${tenantId} and id = ${executionId ?? null}),
      false) as over`.execute(tx)
  return rows[0]?.over === true
}

/** Returns the trace id of an execution. The trace may not have begun yet. */
export const findTraceOfExecution = (tx: Transaction, tenantId: string, executionId: string) =>
  tx
    .selectFrom('executions')
    .select('traceId')
    .where('tenantId', '=', tenantId)
    .where('id', '=', executionId)
    .executeTakeFirst()

/** Returns the traces and agents of those of the executions that exist. */
export const listTracesOfExecutions = (tx: Transaction, tenantId: string, ids: readonly string[]) =>
  tx
    .selectFrom('executions')
    .select(['id', 'traceId', 'agentId'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', ids)
    .execute()

/** Selects the spans of one trace. `day` is the trace's, so that one partition is read. */
export type TraceKey = { tenantId: string; traceId: string; day: string }

/**
 * Returns spans in the order of their commits, with `sealed` only for executions, whose content it contains.
 * listEncrypted() returns all.
 */
export const listSpans = (tx: Transaction, { tenantId, traceId, day }: TraceKey, limit: number) =>
  tx
    .selectFrom('spans')
    .select([...skeletonColumns, 'attributes'])
    .select(sql<Buffer[] | null>`case when origin = 'execution' then sealed end`.as('sealed'))
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('traceId', '=', traceId)
    .orderBy('startChange')
    .limit(limit)
    .execute()

export const listEncrypted = (tx: Transaction, { tenantId, traceId, day }: TraceKey, limit: number) =>
  tx
    .selectFrom('spans')
    .select(['spanId', 'sealed'])
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('traceId', '=', traceId)
    .orderBy('startChange')
    .limit(limit)
    .execute()

/** The values for the columns of a skeleton. Times in microseconds. */
export const listSkeleton = (tx: Transaction, { tenantId, traceId, day }: TraceKey) =>
  tx
    .selectFrom('spans')
    .select(['spanId', 'parentSpanId', 'name', 'kind', 'status'])
    .select(sql<number>`(extract(epoch from started_at) * 1000000)::bigint`.as('started'))
    .select(sql<number | null>`(extract(epoch from ended_at) * 1000000)::bigint`.as('ended'))
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('traceId', '=', traceId)
    .orderBy('startChange')
    .execute()

export const findSpan = (tx: Transaction, { tenantId, traceId, day }: TraceKey, spanId: string) =>
  tx
    .selectFrom('spans')
    .select([...skeletonColumns, 'attributes', 'events', 'links', 'facts', 'sealed', 'auditId', 'batchIndex'])
    .select('resourceIndex')
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('traceId', '=', traceId)
    .where('spanId', '=', spanId)
    .executeTakeFirst()

/** Larger attributes of one span are not streamed: a client requests the span to get them. */
const streamedBytes = 32 * 1024

/** As many changes as one read returns. */
export const changesPerRead = 100

/**
 * Returns starts and ends with a number above `after`, in order, each with the bound object of its span. Spans of telemetry have
 * ended, so they have one number. Very large attributes are omitted.
 */
export const listChanges = (tx: Transaction, key: TraceKey, after: number) =>
  changesAfter(tx, { ...key, after: String(after) })

type ChangesAfter = TraceKey & { after: string }

const changesAfter = fixedStatement(
  { tenantId: '', traceId: '', day: '', after: '' },
  (tx, given: ChangesAfter) => {
    // The shown values of executions are stored encrypted.
    const size = sql`pg_column_size(attributes) + coalesce(pg_column_size(sealed), 0)`
    const attributes = sql<unknown>`case when ${size} > ${sql.lit(streamedBytes)} then '[]' else attributes end`
    const sealed = sql<
      Buffer[] | null
    >`case when origin = 'execution' and ${size} <= ${sql.lit(streamedBytes)} then sealed end`
    const changed = tx
      .selectFrom(changesBy(tx, given, 'startChange').as('starts'))
      .selectAll()
      .unionAll(tx.selectFrom(changesBy(tx, given, 'endChange').as('ends')).selectAll())
      .orderBy('change')
      .limit(sql.lit(changesPerRead))
    return tx
      .selectFrom(changed.as('r'))
      .select(['change', 'type', ...skeletonColumns, attributes.as('attributes'), sealed.as('sealed')])
      .select(rowObjectJson(boundType('span')).as('bound'))
      .orderBy('change')
  },
  preparedText,
)

/** The first changes of one kind, in the order of an index, as whole rows: what is large in them is read only for the page. */
function changesBy(
  tx: Transaction,
  { tenantId, traceId, day, after }: ChangesAfter,
  number: 'startChange' | 'endChange',
) {
  const started = sql`case origin when 'telemetry' then 'span.ended' else 'span.started' end`
  const type = number === 'startChange' ? started : sql`'span.ended'`
  return tx
    .selectFrom('spans')
    .selectAll()
    .select(sql<number>`${sql.ref(number)}`.as('change'))
    .select(sql<'span.started' | 'span.ended'>`${type}`.as('type'))
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('traceId', '=', traceId)
    .where(number, '>', sql<number>`${after}::integer`)
    .orderBy(number)
    .limit(sql.lit(changesPerRead))
}

export type TraceFilter = {
  agentId?: string | undefined
  agent?: string | undefined
  status?: 'open' | 'ok' | 'error' | undefined
  kind?: string | undefined
  from?: string | undefined
  to?: string | undefined
  text?: string | undefined
}

/** The rows that one page reads at most, so that a filter without matches doesn't run into the statement timeout. */
const lookedAt = 5_000

/**
 * Returns the next traces that match the filters, newest first, and the position where the search ended. `cursorAt` is the
 * start in microseconds, which a Date would round.
 */
export async function listTraces(
  tx: Transaction,
  tenantId: string,
  page: { limit: number; before: { at: string; traceId: string } | undefined; filter: TraceFilter },
) {
  const { before, filter } = page
  const filtered = Object.entries(filter).some(([key, value]) => value !== undefined && key !== 'from' && key !== 'to')
  const scanned = filtered ? lookedAt : page.limit
  const { rows } = await sql<{
    traceId: string
    name: string
    executionId: string | null
    agentId: string | null
    startedAt: Date
    endedAt: Date | null
    agentName: string | null
    spanCount: number
    errorCount: number
    cursorAt: string
    hit: boolean
  }>`
    select * from (
      select trace.trace_id, trace.name, trace.execution_id, trace.agent_id, trace.started_at, trace.ended_at,
        coalesce(agents.display_name, trace.agent_name) as agent_name, trace.span_count, trace.error_count,
        to_char(trace.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as cursor_at,
        (${filter.agentId ?? null}::uuid is null or trace.agent_id = ${filter.agentId ?? null}::uuid)
        and (${filter.agent ?? null}::text is null or trace.agent_name = ${filter.agent ?? null} or agents.name = ${filter.agent ?? null})
        and (${filter.kind ?? null}::text is null or ${filter.kind ?? null} = any(trace.kinds))
        and (${filter.text ?? null}::text is null or position(lower(${filter.text ?? null}) in trace.search) > 0
          or position(lower(${filter.text ?? null}) in lower(trace.name)) > 0)
        and case ${filter.status ?? 'any'} when 'any' then true when 'error' then trace.error_count > 0
          when 'open' then trace.ended_at is null else trace.ended_at is not null and trace.error_count = 0 end as hit,
        row_number() over (order by trace.started_at desc, trace.trace_id) as place
      from (
        select * from traces
        where tenant_id = ${tenantId}
          ${filter.from === undefined ? sql`` : sql`and started_at >= ${filter.from}::timestamptz`}
          ${filter.to === undefined ? sql`` : sql`and started_at < ${filter.to}::timestamptz`}
          ${
            before === undefined
              ? sql``
              : sql`and started_at <= ${before.at}::timestamptz and (started_at < ${before.at}::timestamptz or trace_id > ${before.traceId})`
          }
        order by started_at desc, trace_id
        limit ${scanned}
      ) trace
      left join agents on agents.tenant_id = trace.tenant_id and agents.id = trace.agent_id
    ) looked
    where hit or place = ${scanned}
    order by place limit ${page.limit}`.execute(tx)
  return {
    hits: rows.filter((row) => row.hit),
    stoppedAt: rows.length === page.limit || rows.at(-1)?.hit === false ? rows.at(-1) : undefined,
  }
}
