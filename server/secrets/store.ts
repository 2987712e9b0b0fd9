import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

export async function insertSecret(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    kind: 'value' | 'api_key'
    name: string
    sealedValue: Buffer | null
    createdBy: string
    expiresAt: Date | null
  },
): Promise<void> {
  await tx.insertInto('secrets').values(row).execute()
}

/** Inserts unless another value that is neither revoked nor archived has the name; returns false in that case. */
export async function insertValue(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    name: string
    sealedValue: Buffer
    createdBy: string
    expiresAt: Date | null
    destinations: string[] | null
  },
): Promise<boolean> {
  const result = await tx
    .insertInto('secrets')
    .values({ ...row, kind: 'value' })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Inserts the key and the row by which a request with it finds its tenant. */
export async function insertApiKey(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    secretId: string
    memberId: string
    keySha256: Buffer
    permissions: string[]
  },
): Promise<void> {
  await tx.insertInto('apiKeys').values(row).execute()
  await tx.insertInto('apiKeyIndex').values({ keySha256: row.keySha256, tenantId: row.tenantId }).execute()
}

const selectSecrets = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('secrets as secret')
    .leftJoin('apiKeys as key', (join) =>
      join.onRef('key.tenantId', '=', 'secret.tenantId').onRef('key.secretId', '=', 'secret.id'),
    )
    .leftJoin('machineUses as use', (join) =>
      join.onRef('use.tenantId', '=', 'key.tenantId').onRef('use.memberId', '=', 'key.memberId'),
    )
    .select([
      'secret.id',
      'secret.kind',
      'secret.name',
      'secret.createdBy',
      'secret.destinations',
      'secret.revision',
      'secret.createdAt',
      'secret.expiresAt',
      'secret.revokedAt',
      'secret.archivedAt',
      'key.id as keyId',
      'key.memberId',
      'key.permissions',
      'use.usedAt',
    ])
    .select(sql<boolean>`coalesce(secret.expires_at <= clock_timestamp(), false)`.as('expired'))
    .where('secret.tenantId', '=', tenantId)

export type SecretRow = Awaited<ReturnType<typeof listSecrets>>[number]

/** By the secret's id or its API key's id. */
export const findSecret = (tx: Transaction, tenantId: string, id: string) =>
  selectSecrets(tx, tenantId)
    .where((where) => where.or([where('secret.id', '=', id), where('key.id', '=', id)]))
    .executeTakeFirst()

/** The same, locked until the transaction ends. */
export const lockSecret = (tx: Transaction, tenantId: string, id: string) =>
  selectSecrets(tx, tenantId)
    .where((where) => where.or([where('secret.id', '=', id), where('key.id', '=', id)]))
    .forUpdate('secret')
    .executeTakeFirst()

/** Newest first. */
export const listSecrets = (
  tx: Transaction,
  tenantId: string,
  filter: { kind: 'value' | 'api_key' | undefined; includeArchived: boolean },
  limit: number,
  cursor: string | undefined,
) =>
  selectSecrets(tx, tenantId)
    .$if(filter.kind !== undefined, (q) => q.where('secret.kind', '=', filter.kind ?? ''))
    .$if(!filter.includeArchived, (q) => q.where('secret.archivedAt', 'is', null))
    .$if(cursor !== undefined, (q) => q.where('secret.id', '<', cursor ?? ''))
    .orderBy('secret.id', 'desc')
    .limit(limit)
    .execute()

/** The encrypted value of a record that is neither revoked, archived nor expired, by the database's clock. */
export async function findLiveValue(tx: Transaction, tenantId: string, id: string): Promise<Buffer | undefined> {
  const row = await tx
    .selectFrom('secrets')
    .select('sealedValue')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .where('archivedAt', 'is', null)
    .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', sql<Date>`clock_timestamp()`)]))
    .executeTakeFirst()
  return row?.sealedValue ?? undefined
}

/** The live value with this name; at most one exists. */
export async function findLiveValueByName(
  tx: Transaction,
  tenantId: string,
  name: string,
): Promise<{ id: string; sealedValue: Buffer; destinations: string[] | null } | undefined> {
  const row = await tx
    .selectFrom('secrets')
    .select(['id', 'sealedValue', 'destinations'])
    .where('tenantId', '=', tenantId)
    .where('kind', '=', 'value')
    .where('name', '=', name)
    .where('revokedAt', 'is', null)
    .where('archivedAt', 'is', null)
    .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', sql<Date>`clock_timestamp()`)]))
    .executeTakeFirst()
  return row === undefined || row.sealedValue === null ? undefined : { ...row, sealedValue: row.sealedValue }
}

/** Whether the tenant has a live value with this name that is bound to the origin. */
export async function isBoundTo(tx: Transaction, tenantId: string, name: string, origin: string): Promise<boolean> {
  const found = await findLiveValueByName(tx, tenantId, name)
  return found?.destinations?.includes(origin) ?? false
}

/** Replaces the destinations of a record that the caller has locked. */
export async function updateDestinations(
  tx: Transaction,
  tenantId: string,
  id: string,
  destinations: string[] | null,
): Promise<void> {
  await tx
    .updateTable('secrets')
    .set((e) => ({ destinations, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** active → revoked, permanently; deletes the value. A revoked, archived or expired record does not change. */
export async function setRevoked(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx
    .updateTable('secrets')
    .set((e) => ({ revokedAt: sql<Date>`clock_timestamp()`, sealedValue: null, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .where('archivedAt', 'is', null)
    .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', sql<Date>`clock_timestamp()`)]))
    .execute()
}

/** → archived, permanently; deletes the value. An archived record does not change. */
export async function setArchived(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx
    .updateTable('secrets')
    .set((e) => ({ archivedAt: sql<Date>`clock_timestamp()`, sealedValue: null, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('archivedAt', 'is', null)
    .execute()
}
