import { sql } from 'kysely'
import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { moment } from './collect-spans-store.ts'
import type { Period } from './collect-store.ts'
import { inScope } from './scope-store.ts'

/**
 * Reads what the spans of the period say of their traces, one line for each, so that a verifier can recompute it from the
 * spans in the archive. Which execution and agent a trace belongs to is in the state of the execution.
 */
export const readTraces = (tx: Transaction, tenantId: string, { start, end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('spans')
      .select('traceId')
      .select(sql<number>`count(*)::integer`.as('spans'))
      .select(moment(sql`min(spans.started_at)`).$castTo<string>().as('startedAt'))
      .select(
        sql<
          string | null
        >`case when bool_and(spans.ended_at is not null) then ${moment(sql`max(spans.ended_at)`)} end`.as('endedAt'),
      )
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'spans'))
      .where('spans.startedAt', '>=', start)
      .where('spans.startedAt', '<', end)
      .groupBy('traceId')
      .orderBy('traceId'),
  )
