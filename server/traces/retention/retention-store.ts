import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

const notHeld = (table: 'traces' | 'spans') => sql`not exists (select 1 from legal_holds h
  where h.tenant_id = ${sql.ref(`${table}.tenant_id`)} and h.released_at is null
    and (h.trace_id = ${sql.ref(`${table}.trace_id`)} or ${sql.ref(`${table}.day`)} between h.from_day and h.to_day))`

export const hasHolds = async (tx: Transaction, tenantId: string): Promise<boolean> =>
  (await tx
    .selectFrom('legalHolds')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('releasedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Finds the oldest day before `before` with data that may be deleted. */
export async function findExpiredDay(tx: Transaction, tenantId: string, before: string): Promise<string | undefined> {
  const { rows } = await sql<{ day: string }>`
    select day::text as day from traces where tenant_id = ${tenantId} and day < ${before}::date and ${notHeld('traces')}
    order by day limit 1`.execute(tx)
  return rows[0]?.day
}

/** Spans of executions that one transaction deletes: each has a state in its record. */
const together = 500

/**
 * Deletes data that no hold covers; with more spans of executions than one record can name only these, so that it is called
 * again. The leaves of the day are deleted with the last span that they prove.
 */
export async function deleteDay(
  tx: Transaction,
  tenantId: string,
  day: string,
): Promise<{ traces: number; spans: number }> {
  const { numAffectedRows: bound = 0n } = await sql`delete from spans using (
      select trace_id, span_id from spans
      where tenant_id = ${tenantId} and day = ${day}::date and origin = 'execution' and ${notHeld('spans')}
      limit ${together}) expired
    where spans.tenant_id = ${tenantId} and spans.day = ${day}::date and spans.trace_id = expired.trace_id
      and spans.span_id = expired.span_id`.execute(tx)
  if (Number(bound) === together) return { traces: 0, spans: together }
  const spans =
    await sql`delete from spans where tenant_id = ${tenantId} and day = ${day}::date and ${notHeld('spans')}`.execute(
      tx,
    )
  const traces =
    await sql`delete from traces where tenant_id = ${tenantId} and day = ${day}::date and ${notHeld('traces')}`.execute(
      tx,
    )
  const nothingLeft = sql`not exists (select 1 from traces t where t.tenant_id = ${tenantId} and t.day = ${day}::date)`
  await sql`delete from telemetry_batches where tenant_id = ${tenantId} and day = ${day}::date and ${nothingLeft}`.execute(
    tx,
  )
  await sql`delete from batch_resources where tenant_id = ${tenantId} and day = ${day}::date and ${nothingLeft}`.execute(
    tx,
  )
  return { traces: Number(traces.numAffectedRows ?? 0n), spans: Number(bound + (spans.numAffectedRows ?? 0n)) }
}
