import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { ChangeRecord } from './change-record.ts'

/** The sizes of the tenant's last two days, newest first. */
export const lastDays = (tx: Transaction, tenantId: string): Promise<{ date: string; size: number }[]> =>
  tx
    .selectFrom('auditDays')
    .select(['date', 'size'])
    .where('tenantId', '=', tenantId)
    .orderBy('date', 'desc')
    .limit(2)
    .execute()

/**
 * Up to `limit` records in the order of the log: of `date` from `seen` on, of the day before it from `before` on, and of all
 * later days.
 */
export async function recordsAfter(
  tx: Transaction,
  tenantId: string,
  { date, seen, before }: { date: string; seen: number; before: number },
  limit: number,
): Promise<ChangeRecord[]> {
  const { rows } = await sql<ChangeRecord>`
    select date, seq, audit_id, type as action, record -> 'actor' ->> 'id' as actor_id,
      record -> 'resource' ->> 'type' as resource_type, record -> 'resource' ->> 'id' as resource_id
    from (
      (select * from audit_records where tenant_id = ${tenantId} and date = ${date}::date - 1 and seq >= ${before}
        order by seq limit ${limit})
      union all
      (select * from audit_records where tenant_id = ${tenantId} and date = ${date}::date and seq >= ${seen}
        order by seq limit ${limit})
      union all
      (select * from audit_records where tenant_id = ${tenantId} and date > ${date}::date
        order by date, seq limit ${limit})
    ) as written
    order by date, seq
    limit ${limit}`.execute(tx)
  return rows
}

/** Of the last `limit` records those of the last `seconds`, in the order of the log. */
export async function recentRecords(
  tx: Transaction,
  tenantId: string,
  seconds: number,
  limit: number,
): Promise<ChangeRecord[]> {
  const { rows } = await sql<ChangeRecord>`
    select date, seq, audit_id, type as action, record -> 'actor' ->> 'id' as actor_id,
      record -> 'resource' ->> 'type' as resource_type, record -> 'resource' ->> 'id' as resource_id
    from (
      select * from audit_records where tenant_id = ${tenantId} order by date desc, seq desc limit ${limit}
    ) as last
    where created_at > clock_timestamp() - make_interval(secs => ${seconds})
    order by date, seq`.execute(tx)
  return rows
}
