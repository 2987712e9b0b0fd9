import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { Period } from './collect-store.ts'
import { inScope } from './scope-store.ts'

// Data that belongs to the requests in which a period's spans arrived, stored once for each request: the resources that
// the spans name, and the leaves of the request's Merkle tree.

/** Reads the resources that spans of the period name. `sealed` must not be written to the archive. */
export const readResources = (tx: Transaction, tenantId: string, period: Period) =>
  cursorRows(
    tx,
    tx
      // Materialized, because the planner would otherwise read all spans for each row of the cursor.
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

/** Reads the leaf hashes (32 bytes each) of complete requests: the root depends also on spans outside the period. */
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

/** The requests in which spans of the period arrived. */
export const batchIds = (tx: Transaction, tenantId: string, period: Period) =>
  cursorRows(
    tx,
    spansOf(tx, tenantId, period)
      .select('spans.auditId')
      .distinct()
      .where('spans.auditId', 'is not', null)
      .$narrowType<{ auditId: string }>(),
  )

const spansOf = (tx: Transaction, tenantId: string, { start, end, scope }: Period) =>
  tx
    .selectFrom('spans')
    .where('spans.tenantId', '=', tenantId)
    .where(inScope(tenantId, scope, 'spans'))
    .where('spans.startedAt', '>=', start)
    .where('spans.startedAt', '<', end)
