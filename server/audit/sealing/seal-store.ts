import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** A leaf of the seal log: `entry` is the text of the last checkpoint of `date`. */
export type StoredSeal = { seq: number; date: string; entry: string }
export type StoredSealCheckpoint = { size: number; root: Buffer; note: string; createdAt: Date }

const checkpointColumns = ['size', 'root', 'note', 'createdAt'] as const

/** A closed day that the seal log does not contain, with its last checkpoint. */
export type DayToSeal = { date: string; size: number; sealedAt: Date; mac: Buffer | null; root: Buffer; note: string }

/** Days that are closed and not in the seal log, oldest first. */
export async function listDaysToSeal(tx: Transaction, tenantId: string): Promise<DayToSeal[]> {
  const { rows } = await sql<DayToSeal>`
    select day.date, day.size, day.sealed_at, day.mac, checkpoint.root, checkpoint.note
    from audit_days day
    join audit_checkpoints checkpoint
      on checkpoint.tenant_id = day.tenant_id and checkpoint.date = day.date and checkpoint.size = day.size
    where day.tenant_id = ${tenantId} and day.sealed_at is not null
      and not exists (select from audit_seals seal where seal.tenant_id = day.tenant_id and seal.date = day.date)
    order by day.date`.execute(tx)
  return rows
}

export async function insertSeals(tx: Transaction, tenantId: string, seals: readonly StoredSeal[]): Promise<void> {
  await tx
    .insertInto('auditSeals')
    .values(seals.map((seal) => ({ tenantId, ...seal })))
    .execute()
}

const seals = (tx: Transaction, tenantId: string) =>
  tx.selectFrom('auditSeals').select(['seq', 'date', 'entry']).where('tenantId', '=', tenantId)

export const findSealOf = (tx: Transaction, tenantId: string, date: string): Promise<StoredSeal | undefined> =>
  seals(tx, tenantId).where('date', '=', date).executeTakeFirst()

/** Lists the leaves from `start` up to, but not including, `end`, in order. */
export const listSeals = (tx: Transaction, tenantId: string, start: number, end: number): Promise<StoredSeal[]> =>
  seals(tx, tenantId).where('seq', '>=', start).where('seq', '<', end).orderBy('seq').execute()

/** Returns the number of leaves if each place from 0 is taken, else undefined. */
export async function countSeals(tx: Transaction, tenantId: string): Promise<number | undefined> {
  const { rows } = await sql<{ size: number; whole: boolean }>`
    select count(*) as size, count(*) = coalesce(max(seq) + 1, 0) as whole
    from audit_seals where tenant_id = ${tenantId}`.execute(tx)
  return rows[0]?.whole === true ? rows[0].size : undefined
}

const sealCheckpoints = (tx: Transaction, tenantId: string) =>
  tx.selectFrom('auditSealCheckpoints').select(checkpointColumns).where('tenantId', '=', tenantId)

export const findLatestSealCheckpoint = (
  tx: Transaction,
  tenantId: string,
): Promise<StoredSealCheckpoint | undefined> =>
  sealCheckpoints(tx, tenantId).orderBy('size', 'desc').limit(1).executeTakeFirst()

/** The first checkpoint of the seal log that covers a leaf. */
export const findSealCheckpointFrom = (
  tx: Transaction,
  tenantId: string,
  size: number,
): Promise<StoredSealCheckpoint | undefined> =>
  sealCheckpoints(tx, tenantId).where('size', '>=', size).orderBy('size').limit(1).executeTakeFirst()

/** Each size has one checkpoint: inserting a second one throws. */
export async function insertSealCheckpoint(
  tx: Transaction,
  row: { tenantId: string; size: number; root: Buffer; note: string },
): Promise<void> {
  await tx.insertInto('auditSealCheckpoints').values(row).execute()
}

/** Signature lines without their newline, by the name of the witness. */
export const listCosignatures = (
  tx: Transaction,
  tenantId: string,
  size: number,
): Promise<{ witness: string; line: string }[]> =>
  tx
    .selectFrom('auditCosignatures')
    .select(['witness', 'line'])
    .where('tenantId', '=', tenantId)
    .where('size', '=', size)
    .orderBy('witness')
    .execute()

/** The largest size that the witness has signed; undefined when it has signed none. */
export const findCosignedSize = async (
  tx: Transaction,
  tenantId: string,
  witness: string,
): Promise<number | undefined> =>
  (
    await tx
      .selectFrom('auditCosignatures')
      .select('size')
      .where('tenantId', '=', tenantId)
      .where('witness', '=', witness)
      .orderBy('size', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.size

/** Stores only the first one, because each of several processes that ask a witness gets a signature. */
export async function insertCosignature(
  tx: Transaction,
  row: { tenantId: string; size: number; witness: string; line: string },
): Promise<void> {
  await tx
    .insertInto('auditCosignatures')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Whether a checkpoint of the tenant is stored, of a day or of the seal log. */
export async function hasSignedHeads(tx: Transaction, tenantId: string): Promise<boolean> {
  const { rows } = await sql<{ signed: boolean }>`
    select exists (select from audit_checkpoints where tenant_id = ${tenantId})
      or exists (select from audit_seal_checkpoints where tenant_id = ${tenantId})
      or exists (select from audit_seals where tenant_id = ${tenantId}) as signed`.execute(tx)
  return rows[0]?.signed ?? true
}
