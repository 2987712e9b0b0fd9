import { type RawBuilder, sql } from 'kysely'
import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { withMessage } from '#server/traces/attributes.ts'
import { shownAttributes } from '#server/traces/encryption/shown-spans.ts'
import type { Period } from './collect-store.ts'
import { inScope } from './scope-store.ts'

/** Returns the UTC dates on which spans of the period began. */
export const listSpanDates = async (
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
): Promise<string[]> => {
  const rows = await tx
    .selectFrom('spans')
    .select(sql<string>`(started_at at time zone 'UTC')::date`.as('date'))
    .distinct()
    .where('tenantId', '=', tenantId)
    .where(inScope(tenantId, scope, 'spans'))
    .where('startedAt', '>=', start)
    .where('startedAt', '<', end)
    .orderBy('date')
    .execute()
  return rows.map((row) => row.date)
}

/** In microseconds, as in the leaf of a span. */
export const moment = (value: RawBuilder<unknown>) =>
  sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/**
 * Reads spans. Values were masked when they were recorded. The shown parts of content in executions' spans are decrypted,
 * unless the archive is `masked`, which then masks them (masked-spans.ts). `bound`: spans of executions are among the rows, and
 * only those of telemetry are read.
 */
export async function* readSpans(
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
  { masked, bound }: { masked: boolean; bound: boolean },
) {
  const cipher = await tenantCipher(tx, tenantId)
  const rows = cursorRows(
    tx,
    tx
      .selectFrom('spans')
      .select(['traceId', 'spanId', 'parentSpanId', 'name', 'kind', 'status', 'attributes', 'links'])
      // A message of telemetry is one of its attributes; the leaf of its span does not cover the column.
      .select(sql<string | null>`case when origin = 'execution' then status_message end`.as('statusMessage'))
      .select(['events', 'facts', 'auditId', 'batchIndex', 'resourceIndex', 'origin'])
      .select(moment(sql.ref('spans.startedAt')).$castTo<string>().as('startedAt'))
      .select(moment(sql.ref('spans.endedAt')).$castTo<string | null>().as('endedAt'))
      .select(sql<Buffer[] | null>`case when origin = 'execution' then sealed end`.as('sealed'))
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'spans'))
      .$if(bound, (query) => query.where('origin', '=', 'telemetry'))
      .where('spans.startedAt', '>=', start)
      .where('spans.startedAt', '<', end)
      .orderBy('spans.startedAt')
      .orderBy('traceId')
      .orderBy('startChange'),
  )
  for await (const { sealed, ...row } of rows) {
    if (masked) yield row
    else yield { ...row, ...withMessage(row.origin, shownAttributes(cipher, { ...row, sealed })) }
  }
}

/** Reads the encrypted values of spans, in the order of readSpans. */
export const readSealedSpans = (tx: Transaction, tenantId: string, { start, end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('spans')
      .select(['traceId', 'spanId', 'attributes', 'events', 'links', 'sealed'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'spans'))
      .where('startedAt', '>=', start)
      .where('startedAt', '<', end)
      .orderBy('startedAt')
      .orderBy('traceId')
      .orderBy('startChange'),
  )
