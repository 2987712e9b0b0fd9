import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { ChangeRecord } from './change-record.ts'
import type { Position } from './position.ts'
import type { StoredRecord } from './store.ts'

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
 * Up to `limit` rows in the order of the log: of `date` from `seen` on, of the day before it from `before` on, and of all later
 * days.
 */
const rowsAfter = (tenantId: string, { date, seen, before }: Position, limit: number) => sql`
    (
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
    limit ${limit}`

/** Up to `limit` changes after the position, in the order of the log. */
export async function recordsAfter(
  tx: Transaction,
  tenantId: string,
  position: Position,
  limit: number,
): Promise<ChangeRecord[]> {
  const { rows } = await sql<ChangeRecord>`
    select date, seq, audit_id, type as action, record -> 'actor' ->> 'id' as actor_id,
      record -> 'resource' ->> 'type' as resource_type, record -> 'resource' ->> 'id' as resource_id,
      record -> 'details' ->> 'approvalId' as approval_id
    from ${rowsAfter(tenantId, position, limit)}`.execute(tx)
  return rows
}

/** Up to `limit` whole records after the position, in the order of the log. */
export async function listRecordsAfter(
  tx: Transaction,
  tenantId: string,
  position: Position,
  limit: number,
): Promise<StoredRecord[]> {
  const { rows } = await sql<StoredRecord>`
    select audit_id, date, seq, type, record, nonce, digest, leaf_hash, created_at
    from ${rowsAfter(tenantId, position, limit)}`.execute(tx)
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
      record -> 'resource' ->> 'type' as resource_type, record -> 'resource' ->> 'id' as resource_id,
      record -> 'details' ->> 'approvalId' as approval_id
    from (
      select * from audit_records where tenant_id = ${tenantId} order by date desc, seq desc limit ${limit}
    ) as last
    where created_at > clock_timestamp() - make_interval(secs => ${seconds})
    order by date, seq`.execute(tx)
  return rows
}
