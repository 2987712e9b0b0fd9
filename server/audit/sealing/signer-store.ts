import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import { type HashedRecord, hashedRecords } from '#server/audit/hashed-store.ts'
import type { StoredRecord } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** A record with its mac, which is null for one of a version before decision 0035. */
export type KeyedRecord = StoredRecord & { mac: Buffer | null }

const recordColumns = ['auditId', 'date', 'seq', 'type', 'record', 'nonce', 'digest', 'leafHash', 'createdAt'] as const

const records = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('auditRecords')
    .select(recordColumns)
    .$narrowType<{ record: JsonValue }>()
    .where('tenantId', '=', tenantId)

/** Lists the records of a day from `start` until before `end`, with their macs. */
export const listKeyedRecords = (
  tx: Transaction,
  tenantId: string,
  date: string,
  start: number,
  end: number,
): Promise<KeyedRecord[]> =>
  records(tx, tenantId)
    .select('mac')
    .where('date', '=', date)
    .where('seq', '>=', start)
    .where('seq', '<', end)
    .orderBy('seq')
    .execute()

/** Lists the records of a day from `start` until before `end`, to be hashed again. */
export const listRecordsOf = (
  tx: Transaction,
  tenantId: string,
  date: string,
  start: number,
  end: number,
): Promise<HashedRecord[]> =>
  hashedRecords(tx, tenantId, date).where('seq', '>=', start).where('seq', '<', end).execute()

/** Finds the tenant's first record, with its mac. */
export const findFirstRecord = (tx: Transaction, tenantId: string): Promise<KeyedRecord | undefined> =>
  records(tx, tenantId).select('mac').orderBy('date').orderBy('seq').limit(1).executeTakeFirst()

/** Lists the tenant's records of a type, with their macs. */
export const listRecordsOfType = (tx: Transaction, tenantId: string, type: string): Promise<KeyedRecord[]> =>
  records(tx, tenantId).select('mac').where('type', '=', type).orderBy('date').orderBy('seq').execute()

/** Returns the number of records that no checkpoint covers and that lack a mac. */
export async function countUnkeyed(tx: Transaction, tenantId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from audit_records record
    where record.tenant_id = ${tenantId} and record.mac is null and record.seq >= coalesce((
      select max(size) from audit_checkpoints checkpoint
      where checkpoint.tenant_id = record.tenant_id and checkpoint.date = record.date), 0)`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Finds an id of these records that another record of the tenant has too: the unique index may have been dropped. */
export async function findRepeatedId(
  tx: Transaction,
  tenantId: string,
  date: string,
  start: number,
  end: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ auditId: string }>`
    select record.audit_id from audit_records record
    where record.tenant_id = ${tenantId} and record.date = ${date} and record.seq >= ${start} and record.seq < ${end}
      and exists (select from audit_records other
        where other.tenant_id = record.tenant_id and other.audit_id = record.audit_id
          and (other.date <> record.date or other.seq <> record.seq))
    limit 1`.execute(tx)
  return rows[0]?.auditId
}

/** Returns all days of the log, and whether a checkpoint of each is stored. */
export async function listDates(tx: Transaction, tenantId: string): Promise<{ date: string; signed: boolean }[]> {
  const { rows } = await sql<{ date: string; signed: boolean }>`
    select day.date, exists (select from audit_checkpoints checkpoint
      where checkpoint.tenant_id = day.tenant_id and checkpoint.date = day.date) as signed
    from audit_days day where day.tenant_id = ${tenantId} order by day.date`.execute(tx)
  return rows
}

/** Finds the last day that has a row. */
export const findLastDay = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('auditDays')
    .select(['date', 'size'])
    .where('tenantId', '=', tenantId)
    .orderBy('date', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Lets one process at a time sign the tenant's logs. Appenders don't wait for it. */
export async function lockSigner(tx: Transaction, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audit signer\n${tenantId}`}, 0))`.execute(tx)
}

/** Inserts the days without records from `first`, or from the tenant's first day, until yesterday. */
export async function insertEmptyDays(tx: Transaction, tenantId: string, first: string | undefined): Promise<void> {
  if (first === undefined) await sql`select open_empty_days(${tenantId})`.execute(tx)
  else await sql`select open_empty_days_from(${tenantId}, ${first})`.execute(tx)
}

export async function setDaySealed(
  tx: Transaction,
  { tenantId, date, sealedAt, mac }: { tenantId: string; date: string; sealedAt: Date; mac: Buffer },
): Promise<void> {
  await sql`select close_keyed_day(${tenantId}, ${date}, ${sealedAt}, ${mac})`.execute(tx)
}
