import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { Period } from './collect-store.ts'

// What the spans of a period came with: the resources that they name, and the leaves among which theirs are. Both are stored
// once for each request.

/** What exporters say of themselves, for the spans of the period that name it; `sealed` is not for the archive. */
export const readResources = (tx: Transaction, tenantId: string, period: Period) =>
  cursorRows(
    tx,
    tx
      // Looked up once: a cursor would else be planned to look at all spans for each row.
      .with(
        (cte) => cte('named').materialized(),
        () =>
          spansOf(tx, tenantId, period)
            .select(['spans.auditId', 'spans.resourceIndex'])
            .distinct()
            .where('spans.resourceIndex', 'is not', null),
      )
      .selectFrom('named')
      .innerJoin('batchResources as resource', (join) =>
        join
          .onRef('resource.auditId', '=', 'named.auditId')
          .onRef('resource.resourceIndex', '=', 'named.resourceIndex')
          .on('resource.tenantId', '=', tenantId),
      )
      .select(['resource.auditId', 'resource.resourceIndex', 'resource.attributes', 'resource.sealed'])
      .orderBy('resource.auditId')
      .orderBy('resource.resourceIndex'),
  )

/** Leaf hashes of whole requests, 32 bytes each, those of spans outside the period included: they are what leads to the root. */
export const readBatches = (tx: Transaction, tenantId: string, period: Period) =>
  cursorRows(
    tx,
    tx
      .with(
        (cte) => cte('named').materialized(),
        () => spansOf(tx, tenantId, period).select('spans.auditId').distinct().where('spans.auditId', 'is not', null),
      )
      .selectFrom('named')
      .innerJoin('telemetryBatches as batch', (join) =>
        join.onRef('batch.auditId', '=', 'named.auditId').on('batch.tenantId', '=', tenantId),
      )
      .select(['batch.auditId', 'batch.leaves'])
      .orderBy('batch.auditId'),
  )

const spansOf = (tx: Transaction, tenantId: string, { start, end }: Period) =>
  tx
    .selectFrom('spans')
    .where('spans.tenantId', '=', tenantId)
    .where('spans.startedAt', '>=', start)
    .where('spans.startedAt', '<', end)
