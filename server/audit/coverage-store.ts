import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

// What of a tenant's log a period can cover.

/** Returns the first day of the tenant's log, as midnight in UTC; undefined before its first record. */
export async function findBeginning(tx: Transaction, tenantId: string): Promise<Date | undefined> {
  const row = await tx
    .selectFrom('auditDays')
    .select('date')
    .where('tenantId', '=', tenantId)
    .orderBy('date')
    .limit(1)
    .executeTakeFirst()
  return row && new Date(row.date)
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
