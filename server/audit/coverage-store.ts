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

/** Returns the present time of the database. */
export async function findNow(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: a select without from has one row')
  return row.now
}

/** Ids of files that were stored in the period, and whose bytes or rows expired since. */
export async function listExpiredFiles(
  tx: Transaction,
  tenantId: string,
  { start, end }: { start: Date; end: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct stored.resource_id as id from audit_records stored
    join audit_records removed on removed.tenant_id = stored.tenant_id and removed.resource_id = stored.resource_id
      and removed.type = 'file.expired'
    where stored.tenant_id = ${tenantId} and stored.type = 'file.stored'
      and stored.date >= ${start.toISOString().slice(0, 10)} and stored.date <= ${end.toISOString().slice(0, 10)}
      and stored.created_at >= ${start} and stored.created_at < ${end}
    order by id`.execute(tx)
  return rows.map(({ id }) => id)
}
