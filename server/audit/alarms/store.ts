import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { closedAction, raisedActions } from './actions.ts'

/**
 * What a row adds to the log. `mac` is the keyed digest over the rest of it. A row without a record whose count is 0 counts for
 * nothing: its alarm has moved to the id of a record.
 */
export type AlarmRow = {
  id: string
  kind: string
  subject: string
  reason: string
  firstSeenAt: Date
  lastSeenAt: Date
  count: number
  mac: string
}

/** An alarm as the log and the table have it, not checked yet. */
export type StoredAlarm = {
  id: string
  /** The record that raised it; null if the log does not contain it. */
  raised: JsonValue
  /** The records that close it, oldest first. */
  closings: JsonValue[]
  row: AlarmRow | null
}

/** Lets one transaction at a time raise or close the alarm about a subject, until it ends. */
export async function lockSubject(tx: Transaction, tenantId: string, kind: string, subject: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`alarm\n${tenantId}\n${kind}\n${subject}`}, 0))`.execute(tx)
}

/** Returns alarms from the log, and rows without a record in the log, newest first. */
export async function listStoredAlarms(
  tx: Transaction,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<StoredAlarm[]> {
  const { rows } = await sql<{
    id: string
    raised: JsonValue
    closings: JsonValue[]
    row: null | (Omit<AlarmRow, 'firstSeenAt' | 'lastSeenAt'> & { firstSeenAt: string; lastSeenAt: string })
  }>`
    select coalesce(r.audit_id, a.id) as id, r.record as raised,
      coalesce((select jsonb_agg(c.record order by c.date, c.seq) from audit_records c
        where c.tenant_id = ${tenantId} and c.type = ${closedAction}
          and c.resource_id = coalesce(r.audit_id, a.id)::text), '[]') as closings,
      case when a.id is not null then jsonb_build_object('id', a.id, 'kind', a.kind, 'subject', a.subject,
        'reason', a.reason, 'firstSeenAt', a.first_seen_at, 'lastSeenAt', a.last_seen_at, 'count', a.count,
        'mac', a.mac) end as row
    from (select audit_id, record from audit_records
      where tenant_id = ${tenantId} and type = any(${[...raisedActions]}::text[])) r
    full join (select * from alarms where tenant_id = ${tenantId}) a on a.id = r.audit_id
    where ${before === undefined ? sql`true` : sql`coalesce(r.audit_id, a.id) < ${before}::uuid`}
    order by 1 desc limit ${limit}`.execute(tx)
  return rows.map(({ row, ...rest }) => ({
    ...rest,
    row: row && { ...row, firstSeenAt: new Date(row.firstSeenAt), lastSeenAt: new Date(row.lastSeenAt) },
  }))
}

/** Creates the row, or replaces it, as after a change by SQL. */
export async function setAlarm(tx: Transaction, tenantId: string, row: AlarmRow): Promise<void> {
  const { id: _id, ...changes } = row
  await tx
    .insertInto('alarms')
    .values({ tenantId, ...row })
    .onConflict((conflict) => conflict.columns(['tenantId', 'id']).doUpdateSet(changes))
    .execute()
}

/** The time of the database, to the millisecond. */
export async function databaseTime(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select date_trunc('milliseconds', clock_timestamp()) as at`.execute(tx)
  return rows[0]?.at ?? new Date()
}
