import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

export type StoredRecord = {
  auditId: string
  /** YYYY-MM-DD. */
  date: string
  seq: number
  type: string
  record: JsonValue
  nonce: Buffer
  digest: Buffer
  leafHash: Buffer
  createdAt: Date
}
export type StoredCheckpoint = { date: string; size: number; root: Buffer; note: string; createdAt: Date }

const recordColumns = ['auditId', 'date', 'seq', 'type', 'record', 'nonce', 'digest', 'leafHash', 'createdAt'] as const
const checkpointColumns = ['date', 'size', 'root', 'note', 'createdAt'] as const

const records = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('auditRecords')
    .select(recordColumns)
    .$narrowType<{ record: JsonValue }>()
    .where('tenantId', '=', tenantId)

const checkpoints = (tx: Transaction, tenantId: string, date: string) =>
  tx.selectFrom('auditCheckpoints').select(checkpointColumns).where('tenantId', '=', tenantId).where('date', '=', date)

/** Whose log it is; `externalId` is the name of the tenant in leaves and checkpoints. */
export type LogOwner = { id: string; externalId: string }

/** The tenants whose logs are to be signed. */
export const listLogOwners = (tx: Transaction): Promise<LogOwner[]> =>
  tx.selectFrom('tenants').select(['id', 'externalId']).orderBy('id').execute()

export const findRecord = (tx: Transaction, tenantId: string, auditId: string): Promise<StoredRecord | undefined> =>
  records(tx, tenantId).where('auditId', '=', auditId).executeTakeFirst()

/** Newest first. */
export async function listRecords(
  tx: Transaction,
  tenantId: string,
  page: { limit: number; before: { date: string; seq: number } | undefined },
): Promise<StoredRecord[]> {
  let query = records(tx, tenantId)
  const { before } = page
  if (before !== undefined)
    query = query.where(sql<boolean>`(date, seq) < (${before.date}::date, ${before.seq}::integer)`)
  return await query.orderBy('date', 'desc').orderBy('seq', 'desc').limit(page.limit).execute()
}

/** The first `size` records of a day in order, as a stream. */
export const streamRecords = (
  tx: Transaction,
  tenantId: string,
  date: string,
  size: number,
): AsyncGenerator<StoredRecord> =>
  cursorRows(tx, records(tx, tenantId).where('date', '=', date).where('seq', '<', size).orderBy('seq'))

/** The leaf hashes of a day's first `size` records in order; undefined when the stored rows are not one each from 0. */
export async function findLeaves(
  tx: Transaction,
  tenantId: string,
  date: string,
  size: number,
): Promise<Buffer[] | undefined> {
  const rows = await tx
    .selectFrom('auditRecords')
    .select(['seq', 'leafHash'])
    .where('tenantId', '=', tenantId)
    .where('date', '=', date)
    .where('seq', '<', size)
    .orderBy('seq')
    .execute()
  const whole =
    rows.length === size && rows.every(({ seq, leafHash }, index) => seq === index && leafHash.length === 32)
  return whole ? rows.map((row) => row.leafHash) : undefined
}

/** Today's date in UTC, by the database's clock. */
export async function today(tx: Transaction): Promise<string> {
  const { rows } = await sql<{ today: string }>`select (clock_timestamp() at time zone 'UTC')::date as today`.execute(
    tx,
  )
  return rows[0]?.today ?? ''
}

export const findDay = (tx: Transaction, tenantId: string, date: string) =>
  tx
    .selectFrom('auditDays')
    .select(['date', 'size', 'sealedAt'])
    .where('tenantId', '=', tenantId)
    .where('date', '=', date)
    .executeTakeFirst()

/** Keeps appenders of that day waiting until commit. */
export const lockDay = (tx: Transaction, tenantId: string, date: string) =>
  tx
    .selectFrom('auditDays')
    .select(['date', 'size', 'sealedAt'])
    .where('tenantId', '=', tenantId)
    .where('date', '=', date)
    .forUpdate()
    .executeTakeFirst()

/** Of the processes that sign this day, lets one at a time go on; appenders don't wait for it. */
export async function lockSealing(tx: Transaction, tenantId: string, date: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`audit seal\n${tenantId}\n${date}`}, 0))`.execute(tx)
}

/** Days whose size is not that of their last checkpoint, and days that are over and not sealed. */
export const listDaysToSign = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('auditDays as day')
    .select('day.date')
    .where('day.tenantId', '=', tenantId)
    .where('day.sealedAt', 'is', null)
    .where(
      sql<boolean>`(day.date < (clock_timestamp() at time zone 'UTC')::date or day.size is distinct from (
        select max(checkpoint.size) from audit_checkpoints checkpoint
        where checkpoint.tenant_id = day.tenant_id and checkpoint.date = day.date))`,
    )
    .orderBy('day.date')
    .execute()

/** Days with at least one record from `start` until before `end` (as whole days in UTC). */
export const listDays = (tx: Transaction, tenantId: string, start: Date, end: Date) =>
  tx
    .selectFrom('auditDays')
    .select(['date', 'size', 'sealedAt'])
    .where('tenantId', '=', tenantId)
    .where('date', '>=', start.toISOString().slice(0, 10))
    .where('date', '<=', new Date(end.getTime() - 1).toISOString().slice(0, 10))
    .orderBy('date')
    .execute()

export async function setDaySealed(tx: Transaction, tenantId: string, date: string): Promise<void> {
  await tx
    .updateTable('auditDays')
    .set({ sealedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('date', '=', date)
    .where('sealedAt', 'is', null)
    .execute()
}

export const findLatestCheckpoint = (tx: Transaction, tenantId: string, date: string) =>
  checkpoints(tx, tenantId, date).orderBy('size', 'desc').limit(1).executeTakeFirst()

export const findCheckpointOfRoot = (tx: Transaction, tenantId: string, date: string, root: Buffer) =>
  checkpoints(tx, tenantId, date).where('root', '=', root).executeTakeFirst()

export const findCheckpointOfSize = (tx: Transaction, tenantId: string, date: string, size: number) =>
  checkpoints(tx, tenantId, date).where('size', '=', size).executeTakeFirst()

export async function insertCheckpoint(
  tx: Transaction,
  row: { tenantId: string; date: string; size: number; root: Buffer; note: string },
): Promise<void> {
  await tx
    .insertInto('auditCheckpoints')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenantId', 'date', 'size']).doNothing())
    .execute()
}

/** Where a record lies and how far its day is signed; undefined when there is no such record. */
export const findSeal = (tx: Transaction, tenantId: string, auditId: string) =>
  tx
    .selectFrom('auditRecords as record')
    .select(['record.seq'])
    .select((select) =>
      select
        .selectFrom('auditCheckpoints as checkpoint')
        .select((inner) => inner.fn.max('checkpoint.size').as('size'))
        .whereRef('checkpoint.tenantId', '=', 'record.tenantId')
        .whereRef('checkpoint.date', '=', 'record.date')
        .as('signedSize'),
    )
    .where('record.tenantId', '=', tenantId)
    .where('record.auditId', '=', auditId)
    .executeTakeFirst()
