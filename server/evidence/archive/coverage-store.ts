import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

// What of a tenant's log a period can cover, and the archive before this one.

/** The first day of the tenant's log, as midnight in UTC; undefined before its first record. */
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

/** A time after every signed record of the day, and not before now. */
export async function findTimeAfter(tx: Transaction, tenantId: string, day: { date: string; size: number }) {
  const { rows } = await sql<{ after: Date }>`
    select date_trunc('milliseconds', greatest(clock_timestamp(), max(created_at))) + interval '1 millisecond' as after
    from audit_records where tenant_id = ${tenantId} and date = ${day.date} and seq < ${day.size}`.execute(tx)
  return rows[0]?.after
}

/** The present time of the database. */
export async function findNow(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: a select without from has one row')
  return row.now
}

/** The last archive that was completed before, without `exportId`. */
export const findArchiveBefore = (tx: Transaction, tenantId: string, exportId: string) =>
  tx
    .selectFrom('evidenceExports')
    .select(['id', 'manifest', 'manifestSha256'])
    .where('tenantId', '=', tenantId)
    .where('id', '<>', exportId)
    .where('manifest', 'is not', null)
    .orderBy('endedAt', 'desc')
    .limit(1)
    .executeTakeFirst()
