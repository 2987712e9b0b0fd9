import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

const skeletonColumns = [
  'spanId',
  'parentSpanId',
  'origin',
  'name',
  'kind',
  'status',
  'statusMessage',
  'startedAt',
  'endedAt',
] as const

/** False when the execution's trace is there already. One that telemetry began becomes the execution's. */
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
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('traces')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'traceId'])
        .doUpdateSet({
          executionId: row.executionId,
          agentId: row.agentId,
          name: row.name,
          startedAt: row.startedAt,
          endedAt: null,
        })
        .where('traces.executionId', 'is', null)
        // Without an execution there is nothing to take over.
        .where(sql<boolean>`${row.executionId}::uuid is not null`),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const findTrace = (tx: Transaction, tenantId: string, traceId: string) =>
  tx
    .selectFrom('traces')
    .select(['traceId', 'day', 'name', 'executionId', 'agentId', 'agentName', 'changeCount', 'spanCount', 'errorCount'])
    .select(['startedAt', 'endedAt'])
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .executeTakeFirst()

/** The trace id that an execution was given; the trace itself may not have begun. */
export const findTraceOfExecution = (tx: Transaction, tenantId: string, executionId: string) =>
  tx
    .selectFrom('executions')
    .select('traceId')
    .where('tenantId', '=', tenantId)
    .where('id', '=', executionId)
    .executeTakeFirst()

/** `day` is the trace's: its spans lie in one partition. In the order in which they were committed. */
export const listSpans = (
  tx: Transaction,
  { tenantId, traceId, day }: { tenantId: string; traceId: string; day: string },
) =>
  tx
    .selectFrom('spans')
    .select([...skeletonColumns, 'attributes'])
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('traceId', '=', traceId)
    .orderBy('startChange')
    .execute()

/** More of one span than this is not streamed: whoever wants it asks for the span. */
const streamedBytes = 32 * 1024

/**
 * Starts and ends with a number above `after`, in order. What telemetry sends has ended already: it has one number. Of a
 * span with very much in it the attributes stay behind.
 */
export const listChanges = (
  tx: Transaction,
  { tenantId, traceId, day }: { tenantId: string; traceId: string; day: string },
  after: number,
  limit: number,
) => {
  const attributes = sql<unknown>`case when pg_column_size(attributes) > ${sql.lit(streamedBytes)} then '[]' else attributes end`
  return tx
    .selectFrom('spans')
    .select([
      'startChange as change',
      sql<'span.started' | 'span.ended'>`case origin when 'telemetry' then 'span.ended' else 'span.started' end`.as(
        'type',
      ),
      ...skeletonColumns,
      attributes.as('attributes'),
    ])
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('traceId', '=', traceId)
    .where('startChange', '>', after)
    .unionAll((union) =>
      union
        .selectFrom('spans')
        .select([
          sql<number>`end_change`.as('change'),
          sql<'span.started' | 'span.ended'>`'span.ended'`.as('type'),
          ...skeletonColumns,
          attributes.as('attributes'),
        ])
        .where('tenantId', '=', tenantId)
        .where('day', '=', day)
        .where('traceId', '=', traceId)
        .where('endChange', '>', after),
    )
    .orderBy('change')
    .limit(limit)
    .execute()
}

/** Newest first. `cursorAt` is the start to the microsecond, which a Date would round. */
export async function listTraces(
  tx: Transaction,
  tenantId: string,
  page: { limit: number; before: { at: string; traceId: string } | undefined },
) {
  let query = tx
    .selectFrom('traces as trace')
    .leftJoin('agents as agent', (join) =>
      join.onRef('agent.tenantId', '=', 'trace.tenantId').onRef('agent.id', '=', 'trace.agentId'),
    )
    .select([
      'trace.traceId',
      'trace.name',
      'trace.executionId',
      'trace.agentId',
      'trace.startedAt',
      'trace.endedAt',
      sql<string | null>`coalesce(agent.display_name, trace.agent_name)`.as('agentName'),
      'trace.spanCount',
      'trace.errorCount',
      'trace.kinds',
      sql<string>`to_char(trace.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as('cursorAt'),
    ])
    .where('trace.tenantId', '=', tenantId)
    .orderBy('trace.startedAt', 'desc')
    .orderBy('trace.traceId')
    .limit(page.limit)
  const { before } = page
  if (before !== undefined)
    query = query.where(({ or, and, eb }) =>
      or([
        eb('trace.startedAt', '<', sql<Date>`${before.at}::timestamptz`),
        and([
          eb('trace.startedAt', '=', sql<Date>`${before.at}::timestamptz`),
          eb('trace.traceId', '>', before.traceId),
        ]),
      ]),
    )
  return await query.execute()
}
