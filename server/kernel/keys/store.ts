import { sql } from 'kysely'
import { onOrdinaryClock } from '#server/kernel/clock/ordinary-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

export const insertKey = async (
  tx: Transaction,
  row: {
    tenantId: string
    purpose: string
    id: string
    algorithm: string
    publicKey: string
    privateKey: Buffer
    logName: string | null
  },
): Promise<void> => {
  await tx.insertInto('signingKeys').values(row).execute()
}

/** Current first. */
export const findKeys = (tx: Transaction, tenantId: string, purpose: string) =>
  tx
    .selectFrom('signingKeys')
    .select(['id', 'algorithm', 'publicKey', 'privateKey', 'createdAt', 'retiredAt', 'logName'])
    .where('tenantId', '=', tenantId)
    .where('purpose', '=', purpose)
    .orderBy('retiredAt', (order) => order.desc().nullsFirst())
    .execute()

const currentKey = (tx: Transaction, tenantId: string, purpose: string) =>
  tx
    .selectFrom('signingKeys')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('purpose', '=', purpose)
    .where('retiredAt', 'is', null)

/** Keeps the current key of `purpose` from being retired before this transaction ends. */
export async function holdKey(tx: Transaction, tenantId: string, purpose: string): Promise<void> {
  const held = () => currentKey(tx, tenantId, purpose).forShare().execute()
  // After waiting for a rotation the old key is no longer the current one, and the new one is not locked yet.
  if ((await held()).length === 0) await held()
}

/** Retires the current key of `purpose`, once no other transaction holds it. */
export async function retireKey(tx: Transaction, tenantId: string, purpose: string): Promise<void> {
  await currentKey(tx, tenantId, purpose).forUpdate().execute()
  await tx
    .updateTable('signingKeys')
    // After the wait: whatever the key signed is from before that.
    .set({ retiredAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('purpose', '=', purpose)
    .where('retiredAt', 'is', null)
    .execute()
}

/** Retires the current key of `purpose` unless it has `algorithm`: true for the one node that retired it. */
export async function retireKeysNotOf(
  tx: Transaction,
  tenantId: string,
  purpose: string,
  algorithm: string,
): Promise<boolean> {
  const result = await tx
    .updateTable('signingKeys')
    .set({ retiredAt: sql<Date>`now()` })
    .where('tenantId', '=', tenantId)
    .where('purpose', '=', purpose)
    .where('algorithm', '<>', algorithm)
    .where('retiredAt', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/**
 * Newest first. `settled`: not created by this transaction, whose own rows have its start time. `commits`: content is written
 * with commitments.
 */
export const findTenantKeys = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('tenantKeys')
    .select(['version', 'sealedKey'])
    .select(sql<boolean>`created_at < now()`.as('settled'))
    .select(
      sql<boolean>`exists (select from content_formats f where f.tenant_id = tenant_keys.tenant_id)`.as('commits'),
    )
    .where('tenantId', '=', tenantId)
    .orderBy('version', 'desc')
    .execute()

/** Inserts unless the version exists. */
export async function insertTenantKey(
  tx: Transaction,
  row: { tenantId: string; version: number; sealedKey: Buffer },
): Promise<void> {
  await tx
    .insertInto('tenantKeys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const listTenantIds = (tx: Transaction) => tx.selectFrom('tenants').select('id').orderBy('id').execute()

/** The tenants for whom every worker works: all but demo tenants that are being filled. */
export const listServedTenantIds = (tx: Transaction) =>
  tx.selectFrom('tenants').select('id').where(onOrdinaryClock).orderBy('id').execute()

export const lockTenantKeys = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('tenantKeys')
    .select(['version', 'sealedKey'])
    .where('tenantId', '=', tenantId)
    .orderBy('version')
    .forUpdate()
    .execute()

export const lockSigningKeys = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('signingKeys')
    .select(['purpose', 'id', 'privateKey', 'logName'])
    .where('tenantId', '=', tenantId)
    .orderBy('purpose')
    .orderBy('id')
    .forUpdate()
    .execute()

export async function setTenantKey(
  tx: Transaction,
  tenantId: string,
  version: number,
  sealedKey: Buffer,
): Promise<void> {
  await tx
    .updateTable('tenantKeys')
    .set({ sealedKey })
    .where('tenantId', '=', tenantId)
    .where('version', '=', version)
    .execute()
}

export async function setSigningKey(
  tx: Transaction,
  tenantId: string,
  row: { purpose: string; id: string; privateKey: Buffer },
): Promise<void> {
  await tx
    .updateTable('signingKeys')
    .set({ privateKey: row.privateKey })
    .where('tenantId', '=', tenantId)
    .where('purpose', '=', row.purpose)
    .where('id', '=', row.id)
    .execute()
}
