import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { TraceKey } from '#server/traces/store.ts'

/** The parts of a span that its leaf contains. Times in microseconds. */
export const findLeafSpan = (tx: Transaction, { tenantId, traceId, day }: TraceKey, spanId: string) =>
  tx
    .selectFrom('spans')
    .select(['spanId', 'parentSpanId', 'name', 'kind', 'status', 'attributes', 'events', 'links', 'facts'])
    .select(['auditId', 'batchIndex', 'resourceIndex'])
    .select(sql<number>`(extract(epoch from started_at) * 1000000)::bigint`.as('startedMicros'))
    // Spans of telemetry have always ended.
    .select(sql<number>`(extract(epoch from coalesce(ended_at, started_at)) * 1000000)::bigint`.as('endedMicros'))
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('traceId', '=', traceId)
    .where('spanId', '=', spanId)
    .executeTakeFirst()

/** Returns the leaves of a batch, 32 bytes each, or undefined if retention has deleted them. */
export async function findBatchLeaves(tx: Transaction, tenantId: string, auditId: string): Promise<Buffer | undefined> {
  const row = await tx
    .selectFrom('telemetryBatches')
    .select('leaves')
    .where('tenantId', '=', tenantId)
    .where('auditId', '=', auditId)
    .executeTakeFirst()
  return row?.leaves
}

/** The leaves of a batch, and the last day of its traces. */
export const findBatchDay = (tx: Transaction, tenantId: string, auditId: string) =>
  tx
    .selectFrom('telemetryBatches')
    .select(['leaves', 'day'])
    .where('tenantId', '=', tenantId)
    .where('auditId', '=', auditId)
    .executeTakeFirst()

/** The spans of a batch whose traces began on its day: one partition, because no index finds the others. */
export const listBatchSpans = (tx: Transaction, tenantId: string, { auditId, day }: { auditId: string; day: string }) =>
  tx
    .selectFrom('spans')
    .select(['traceId', 'spanId', 'parentSpanId', 'name', 'kind', 'status', 'attributes', 'events', 'links', 'facts'])
    .select(['batchIndex', 'resourceIndex'])
    .select(sql<number>`(extract(epoch from started_at) * 1000000)::bigint`.as('startedMicros'))
    .select(sql<number>`(extract(epoch from coalesce(ended_at, started_at)) * 1000000)::bigint`.as('endedMicros'))
    .where('tenantId', '=', tenantId)
    .where('day', '=', day)
    .where('auditId', '=', auditId)
    .execute()

export const listResources = (tx: Transaction, tenantId: string, auditId: string) =>
  tx
    .selectFrom('batchResources')
    .select(['resourceIndex as index', 'attributes'])
    .where('tenantId', '=', tenantId)
    .where('auditId', '=', auditId)
    .execute()

export const findResource = (tx: Transaction, tenantId: string, auditId: string, resourceIndex: number) =>
  tx
    .selectFrom('batchResources')
    .select(['auditId', 'resourceIndex as index', 'attributes', 'sealed'])
    .where('tenantId', '=', tenantId)
    .where('auditId', '=', auditId)
    .where('resourceIndex', '=', resourceIndex)
    .executeTakeFirst()
