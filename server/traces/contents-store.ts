import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { TraceKey } from './store.ts'

type ContentRow = {
  spanId: string
  kind: string
  attributes: unknown
  facts: JsonObject
  /** Only of executions, whose content it contains. */
  sealed: Buffer[] | null
}

/** Streams what the spans of a trace contain, in batches. */
export const streamContents = (tx: Transaction, { tenantId, traceId, day }: TraceKey): AsyncGenerator<ContentRow> =>
  cursorRows(
    tx,
    tx
      .selectFrom('spans')
      .select(['spanId', 'kind', 'attributes'])
      .select(sql<JsonObject>`facts`.as('facts'))
      .select(sql<Buffer[] | null>`case when origin = 'execution' then sealed end`.as('sealed'))
      .where('tenantId', '=', tenantId)
      .where('day', '=', day)
      .where('traceId', '=', traceId),
  )
