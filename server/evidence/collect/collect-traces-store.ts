import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { Period } from './collect-store.ts'
import { inScope } from './scope-store.ts'

/** Reads the traces that began before the end of the period and have spans in it, one line for each. */
export const readTraces = (tx: Transaction, tenantId: string, { start, end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('traces')
      .select(['traceId', 'executionId', 'agentId', 'startedAt', 'endedAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'traces'))
      .where((e) =>
        e.exists(
          e
            .selectFrom('spans')
            .select('spanId')
            .where('spans.tenantId', '=', tenantId)
            .whereRef('spans.day', '=', 'traces.day')
            .whereRef('spans.traceId', '=', 'traces.traceId')
            .where('spans.startedAt', '>=', start)
            .where('spans.startedAt', '<', end),
        ),
      )
      .orderBy('traceId'),
  )
