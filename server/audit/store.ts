import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import { onOrdinaryClock } from '#server/kernel/clock/ordinary-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

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
const dayColumns = ['date', 'size', 'sealedAt', 'mac'] as const
const checkpointColumns = ['date', 'size', 'root', 'note', 'createdAt'] as const

/** A tenant's records, in no order. */
export const records = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('auditRecords')
    .select(recordColumns)
    .$narrowType<{ record: JsonValue }>()
    .where('tenantId', '=', tenantId)

const checkpoints = (tx: Transaction, tenantId: string, date: string) =>
  tx.selectFrom('auditCheckpoints').select(checkpointColumns).where('tenantId', '=', tenantId).where('date', '=', date)

/** The tenant of a log. `externalId` is its name in leaves and checkpoints. */
export type LogOwner = { id: string; externalId: string }

/** Returns the tenants whose logs are to be signed: all but demo tenants that are being filled. */
export const listLogOwners = (tx: Transaction): Promise<LogOwner[]> =>
  tx.selectFrom('tenants').select(['id', 'externalId']).where(onOrdinaryClock).orderBy('id').execute()

/** Finds a tenant by the external id that its logs use. */
export const findLogOwner = (tx: Transaction, externalId: string): Promise<LogOwner | undefined> =>
  tx.selectFrom('tenants').select(['id', 'externalId']).where('externalId', '=', externalId).executeTakeFirst()

export const findRecord = (tx: Transaction, tenantId: string, auditId: string): Promise<StoredRecord | undefined> =>
  records(tx, tenantId).where('auditId', '=', auditId).executeTakeFirst()

/** Returns the day's records at these positions, in order. */
export const findRecordsAt = (
  tx: Transaction,
  tenantId: string,
  date: string,
  places: readonly number[],
): Promise<StoredRecord[]> =>
  records(tx, tenantId).where('date', '=', date).where('seq', 'in', places).orderBy('seq').execute()

/** Where the log has these records. */
export const findPlaces = (tx: Transaction, tenantId: string, auditIds: readonly string[]) =>
  tx
    .selectFrom('auditRecords')
    .select(['date', 'seq'])
    .where('tenantId', '=', tenantId)
    .where('auditId', '=', sql<string>`any(${[...auditIds]}::uuid[])`)
    .execute()

/** Returns where the log has the registrations of these passkeys. */
export const findRegistrations = async (
  tx: Transaction,
  tenantId: string,
  passkeyIds: readonly string[],
): Promise<{ date: string; seq: number }[]> =>
  passkeyIds.length === 0
    ? []
    : await tx
        .selectFrom('auditRecords')
        .select(['date', 'seq'])
        .where('tenantId', '=', tenantId)
        .where('type', '=', 'passkey.registered')
        .where('resourceId', 'in', passkeyIds)
        .execute()

/**
 * Returns the concatenated leaf hashes of a day's records from `start` until before `end`, or undefined if a record is missing
 * or its hash is malformed. They arrive as one value, because a row per leaf would cost more time than the tree.
 */
export async function findLeaves(
  tx: Transaction,
  tenantId: string,
  date: string,
  start: number,
  end: number,
): Promise<Buffer | undefined> {
  if (start === end) return Buffer.alloc(0)
  // The index returns them in order, without a sort. Base64 is the fastest encoding to transfer and decode.
  const { rows } = await sql<{ hashes: string | null; whole: boolean }>`
    select encode(string_agg(leaf_hash, ''::bytea), 'base64') as hashes,
      count(*) = ${end - start}::integer and bool_and(octet_length(leaf_hash) = 32) as whole
    from (select leaf_hash from audit_records
      where tenant_id = ${tenantId} and date = ${date} and seq >= ${start} and seq < ${end} order by seq) leaf`.execute(
    tx,
  )
  const [found] = rows
  return found?.whole === true && found.hashes !== null ? Buffer.from(found.hashes, 'base64') : undefined
}

/** Returns the number of a day's stored records whose position is outside the day's size. */
export async function countBeyond(tx: Transaction, tenantId: string, date: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from audit_records record join audit_days day using (tenant_id, date)
    where record.tenant_id = ${tenantId} and record.date = ${date} and (record.seq < 0 or record.seq >= day.size)`.execute(
    tx,
  )
  return rows[0]?.count ?? 0
}

/** Returns today's date in UTC, by the database's clock. */
export async function today(tx: Transaction): Promise<string> {
  const { rows } = await sql<{ today: string }>`select (clock_timestamp() at time zone 'UTC')::date as today`.execute(
    tx,
  )
  return rows[0]?.today ?? ''
}

export const findDay = (tx: Transaction, tenantId: string, date: string) =>
  tx
    .selectFrom('auditDays')
    .select(dayColumns)
    .where('tenantId', '=', tenantId)
    .where('date', '=', date)
    .executeTakeFirst()

/** Finds the last closed day before `date`, with its last checkpoint. */
export async function findLastClosed(tx: Transaction, tenantId: string, date: string) {
  const { rows } = await sql<{ date: string; size: number; root: Buffer; sealedAt: Date; inSealLog: boolean }>`
    select day.date, day.size, checkpoint.root, day.sealed_at,
      exists (select from audit_seals seal where seal.tenant_id = day.tenant_id and seal.date = day.date) as in_seal_log
    from audit_days day
    join audit_checkpoints checkpoint
      on checkpoint.tenant_id = day.tenant_id and checkpoint.date = day.date and checkpoint.size = day.size
    where day.tenant_id = ${tenantId} and day.date < ${date} and day.sealed_at is not null
    order by day.date desc limit 1`.execute(tx)
  return rows[0]
}

/** Locks the day until commit, so that appenders wait. */
export async function lockDay(tx: Transaction, tenantId: string, date: string) {
  const { rows } = await sql<{ date: string; size: number; sealedAt: Date | null }>`
    select date, size, sealed_at from lock_day(${tenantId}, ${date})`.execute(tx)
  return rows[0]
}

/**
 * Returns days whose current size is not covered by a checkpoint, days whose tree is behind, and past days that are not
 * closed.
 */
export const listDaysToSign = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('auditDays as day')
    .select('day.date')
    .where('day.tenantId', '=', tenantId)
    .where(
      sql<boolean>`(day.sealed_at is null and day.date < (clock_timestamp() at time zone 'UTC')::date
        or not exists (select from audit_trees tree
          where tree.tenant_id = day.tenant_id and tree.log = day.date::text and tree.size = day.size)
        or not exists (select from audit_checkpoints checkpoint
          where checkpoint.tenant_id = day.tenant_id and checkpoint.date = day.date and checkpoint.size = day.size))`,
    )
    .orderBy('day.date')
    .execute()

/** Returns the days of the log from `start` until before `end`, as whole days in UTC. */
export const listDays = (tx: Transaction, tenantId: string, start: Date, end: Date) =>
  tx
    .selectFrom('auditDays')
    .select(['date', 'size', 'sealedAt'])
    .where('tenantId', '=', tenantId)
    .where('date', '>=', start.toISOString().slice(0, 10))
    .where('date', '<=', new Date(end.getTime() - 1).toISOString().slice(0, 10))
    .orderBy('date')
    .execute()

/**
 * Finds the last checkpoint whose tree is stored in tiles. Days from before tiles existed are converted when the sealer
 * starts.
 */
export const findLatestCheckpoint = (tx: Transaction, tenantId: string, date: string) =>
  checkpoints(tx, tenantId, date)
    .where('size', '<=', (eb) =>
      eb.selectFrom('auditTrees').select('size').where('tenantId', '=', tenantId).where('log', '=', date),
    )
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Finds the last signed checkpoint, even if its tree is not stored in tiles. */
export const findLastSigned = (tx: Transaction, tenantId: string, date: string) =>
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

/** Finds the position of a record, and the size up to which its day is signed. */
export const findSeals = (tx: Transaction, tenantId: string, auditIds: readonly string[]) =>
  seals(tx, { tenantId, auditIds })

const seals = fixedStatement({ tenantId: '', auditIds: [''] }, (tx, { tenantId, auditIds }) =>
  tx
    .selectFrom('auditRecords as record')
    .select(['record.auditId', 'record.seq'])
    .select((select) =>
      select
        .selectFrom('auditCheckpoints as checkpoint')
        .select((inner) => inner.fn.max('checkpoint.size').as('size'))
        .whereRef('checkpoint.tenantId', '=', 'record.tenantId')
        .whereRef('checkpoint.date', '=', 'record.date')
        .as('signedSize'),
    )
    .where('record.tenantId', '=', tenantId)
    .where(sql<boolean>`record.audit_id = any(${auditIds}::uuid[])`),
)
