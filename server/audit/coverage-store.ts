import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

// What of a tenant's log a period can cover.

/**
 * Returns the first day of the tenant's log, as midnight in UTC; undefined before its first record. Also a closed day without
 * its row, so that the export of that day fails instead of being shorter.
 */
export async function findBeginning(tx: Transaction, tenantId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ date: string | null }>`
    select least(
      (select min(date) from audit_days where tenant_id = ${tenantId}),
      (select min(date) from audit_seals where tenant_id = ${tenantId})) as date`.execute(tx)
  const date = rows[0]?.date ?? null
  return date === null ? undefined : new Date(date)
}

/** Returns a time after each of the first `size` records of the day, and not before now. */
export async function findTimeAfter(
  tx: Transaction,
  tenantId: string,
  { date, size }: { date: string; size: number },
): Promise<Date | undefined> {
  const { rows } = await sql<{ after: Date }>`
    select date_trunc('milliseconds', greatest(clock_timestamp(), max(created_at))) + interval '1 millisecond' as after
    from audit_records where tenant_id = ${tenantId} and date = ${date} and seq < ${size}`.execute(tx)
  return rows[0]?.after
}

/** Part of a day's log: the positions [from, to). */
export type LogPart = { from: number; to: number }

/**
 * Finds the first `size` records of a day between two times, with those that lie between them in the log: their times may be slightly
 * out of order. Without `start` from the day's first record on, whatever its time, and without `end` up to the last one.
 */
export async function findPart(
  tx: Transaction,
  tenantId: string,
  { date, size }: { date: string; size: number },
  { start, end }: { start: Date | undefined; end: Date | undefined },
): Promise<LogPart> {
  if (start === undefined && end === undefined) return { from: 0, to: size }
  let query = tx
    .selectFrom('auditRecords')
    .select(({ fn }) => [fn.min<number | null>('seq').as('first'), fn.max<number | null>('seq').as('last')])
    .where('tenantId', '=', tenantId)
    .where('date', '=', date)
    .where('seq', '<', size)
  if (start !== undefined) query = query.where('createdAt', '>=', start)
  if (end !== undefined) query = query.where('createdAt', '<', end)
  const { first, last } = await query.executeTakeFirstOrThrow()
  if (first === null || last === null) return start === undefined ? { from: 0, to: 0 } : { from: size, to: size }
  return { from: start === undefined ? 0 : first, to: end === undefined ? size : last + 1 }
}

/** Returns the present time of the database. */
export async function findNow(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: a select without from has one row')
  return row.now
}

/** Ids of files that were stored by records of these parts of the log, and whose bytes or rows expired since. */
export async function listExpiredFiles(
  tx: Transaction,
  tenantId: string,
  parts: readonly (LogPart & { date: string })[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct stored.resource_id as id
    from unnest(${parts.map(({ date }) => date)}::date[], ${parts.map(({ from }) => from)}::integer[],
      ${parts.map(({ to }) => to)}::integer[]) as part (date, first, after)
    join audit_records stored on stored.date = part.date and stored.seq >= part.first and stored.seq < part.after
    join audit_records removed on removed.tenant_id = stored.tenant_id and removed.resource_id = stored.resource_id
      and removed.type = 'file.expired'
    where stored.tenant_id = ${tenantId} and stored.type = 'file.stored'
    order by id`.execute(tx)
  return rows.map(({ id }) => id)
}
