import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { TraceKey } from '#server/traces/store.ts'

type SpanKey = { tenantId: string; traceId: string; spanId: string }

/** Stores a span's partial text, and replaces an earlier one. */
export const setPartial = (tx: Transaction, row: SpanKey & { sealed: Buffer }) =>
  tx
    .insertInto('partialTexts')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'traceId', 'spanId'])
        .doUpdateSet({ sealed: row.sealed, updatedAt: sql<Date>`now()` }),
    )
    .execute()

export const deletePartial = (tx: Transaction, { tenantId, traceId, spanId }: SpanKey) =>
  tx
    .deleteFrom('partialTexts')
    .where('tenantId', '=', tenantId)
    .where('traceId', '=', traceId)
    .where('spanId', '=', spanId)
    .execute()

/** Reads only texts of open spans, because a killed process may have left its text. */
export const listPartials = (tx: Transaction, { tenantId, traceId, day }: TraceKey, limit: number) =>
  tx
    .selectFrom('partialTexts as partial')
    .innerJoin('spans', (join) =>
      join
        .onRef('spans.tenantId', '=', 'partial.tenantId')
        .onRef('spans.traceId', '=', 'partial.traceId')
        .onRef('spans.spanId', '=', 'partial.spanId'),
    )
    .select(['partial.spanId', 'partial.sealed'])
    .where('partial.tenantId', '=', tenantId)
    .where('partial.traceId', '=', traceId)
    .where('spans.tenantId', '=', tenantId)
    .where('spans.day', '=', day)
    .where('spans.endedAt', 'is', null)
    .orderBy('partial.spanId')
    .limit(limit)
    .execute()

/** Returns the ids of model spans that have not ended. */
export const listAnswering = async (tx: Transaction, { tenantId, traceId, day }: TraceKey): Promise<string[]> =>
  (
    await tx
      .selectFrom('spans')
      .select('spanId')
      .where('tenantId', '=', tenantId)
      .where('day', '=', day)
      .where('traceId', '=', traceId)
      .where('kind', '=', 'model')
      .where('endedAt', 'is', null)
      .execute()
  ).map(({ spanId }) => spanId)

/** Longer than any call. Older texts were left by a process that was killed. */
export const deleteOldPartials = (tx: Transaction, tenantId: string, olderThanSeconds: number) =>
  tx
    .deleteFrom('partialTexts')
    .where('tenantId', '=', tenantId)
    .where('updatedAt', '<', sql<Date>`now() - make_interval(secs => ${olderThanSeconds})`)
    .execute()
