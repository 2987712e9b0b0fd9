import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

/** Attributes are a list, never an object: a span may carry a key such as __proto__. */
export type StoredAttribute = { key: string; value: JsonValue }

const spanColumns = [
  'spanId',
  'parentSpanId',
  'name',
  'kind',
  'status',
  'statusMessage',
  'attributes',
  'startedAt',
  'endedAt',
] as const

/** False when the trace is there already. */
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
    .onConflict((conflict) => conflict.columns(['tenantId', 'traceId']).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Holds the trace until commit, so that its numbers are given out in the order of the commits. */
export const lockTrace = (tx: Transaction, tenantId: string, traceId: string) =>
  tx
    .selectFrom('traces')
    .select(['changeCount', 'endedAt'])
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .forUpdate()
    .executeTakeFirst()

export async function setChangeCount(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  changeCount: number,
): Promise<void> {
  await tx
    .updateTable('traces')
    .set({ changeCount })
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .execute()
}

/** False when it had ended already. */
export async function setTraceEnded(
  tx: Transaction,
  tenantId: string,
  traceId: string,
  endedAt: Date | string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('traces')
    .set({ endedAt })
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .where('endedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** False when the span is there already. */
export async function insertSpan(
  tx: Transaction,
  row: {
    tenantId: string
    traceId: string
    spanId: string
    parentSpanId: string | null
    name: string
    kind: SpanKind
    attributes: StoredAttribute[]
    startedAt: Date | string
    startChange: number
  },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('spans')
    .values({ ...row, status: 'unset', attributes: json(row.attributes) })
    .onConflict((conflict) => conflict.columns(['tenantId', 'traceId', 'spanId']).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** False when there is no such span that is still open. */
export async function setSpanEnded(
  tx: Transaction,
  where: { tenantId: string; traceId: string; spanId: string },
  end: {
    status: 'unset' | 'ok' | 'error'
    statusMessage: string | null
    attributes: StoredAttribute[]
    endedAt: Date | string
    endChange: number
  },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('spans')
    .set({ ...end, attributes: sql`attributes || ${json(end.attributes)}` })
    .where('tenantId', '=', where.tenantId)
    .where('traceId', '=', where.traceId)
    .where('spanId', '=', where.spanId)
    .where('endedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const findTrace = (tx: Transaction, tenantId: string, traceId: string) =>
  tx
    .selectFrom('traces')
    .select(['traceId', 'name', 'executionId', 'agentId', 'changeCount', 'startedAt', 'endedAt'])
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

/** In the order in which they began. */
export const listSpans = (tx: Transaction, tenantId: string, traceId: string) =>
  tx
    .selectFrom('spans')
    .select(spanColumns)
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .orderBy('startChange')
    .execute()

/** Starts and ends with a number above `after`, in order. */
export const listChanges = (tx: Transaction, tenantId: string, traceId: string, after: number, limit: number) =>
  tx
    .selectFrom('spans')
    .select(['startChange as change', sql<'span.started' | 'span.ended'>`'span.started'`.as('type'), ...spanColumns])
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .where('startChange', '>', after)
    .unionAll((union) =>
      union
        .selectFrom('spans')
        .select([
          sql<number>`end_change`.as('change'),
          sql<'span.started' | 'span.ended'>`'span.ended'`.as('type'),
          ...spanColumns,
        ])
        .where('tenantId', '=', tenantId)
        .where('traceId', '=', traceId)
        .where('endChange', '>', after),
    )
    .orderBy('change')
    .limit(limit)
    .execute()

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
    .innerJoinLateral(
      (lateral) =>
        lateral
          .selectFrom('spans')
          .select((select) => [
            select.fn.countAll<number>().as('spanCount'),
            select.fn.countAll<number>().filterWhere('status', '=', 'error').as('errorCount'),
          ])
          .whereRef('spans.tenantId', '=', 'trace.tenantId')
          .whereRef('spans.traceId', '=', 'trace.traceId')
          .as('counted'),
      (join) => join.onTrue(),
    )
    .select([
      'trace.traceId',
      'trace.name',
      'trace.executionId',
      'trace.agentId',
      'trace.startedAt',
      'trace.endedAt',
      'agent.displayName as agentName',
      'counted.spanCount',
      'counted.errorCount',
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
