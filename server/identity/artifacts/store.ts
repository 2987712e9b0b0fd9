import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

export type Artifact = { payload: JsonObject; consumedAt: Date | null }
type Address = { tenantId: string; model: string; id: string }
type Row = Address & { payload: JsonObject; grantId: string | null; uid: string | null; expiresAt: Date | null }

const now = sql<Date>`now()`

/** Writes the artifact; a consumed artifact stays consumed. */
export async function upsertArtifact(tx: Transaction, { payload, ...row }: Row): Promise<void> {
  const values = { ...row, payload: json(payload) }
  const { grantId, uid, expiresAt } = row
  await tx
    .insertInto('realmArtifacts')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'model', 'id']).doUpdateSet({ payload: values.payload, grantId, uid, expiresAt }),
    )
    .execute()
}

/** Writes the artifact unless a live one has its id: true for exactly one of several concurrent callers. */
export async function insertArtifactOnce(tx: Transaction, { payload, ...row }: Row): Promise<boolean> {
  const values = { ...row, payload: json(payload) }
  const { expiresAt } = row
  const result = await tx
    .insertInto('realmArtifacts')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'model', 'id'])
        .doUpdateSet({ payload: values.payload, expiresAt })
        .where('realmArtifacts.expiresAt', '<=', now),
    )
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function findArtifact(tx: Transaction, { tenantId, model, id }: Address): Promise<Artifact | undefined> {
  const row = await tx
    .selectFrom('realmArtifacts')
    .select(['payload', 'consumedAt'])
    .where('tenantId', '=', tenantId)
    .where('model', '=', model)
    .where('id', '=', id)
    .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now)]))
    .executeTakeFirst()
  return row as Artifact | undefined
}

export async function findArtifactByUid(
  tx: Transaction,
  { tenantId, model, uid }: { tenantId: string; model: string; uid: string },
): Promise<Artifact | undefined> {
  const row = await tx
    .selectFrom('realmArtifacts')
    .select(['payload', 'consumedAt'])
    .where('tenantId', '=', tenantId)
    .where('model', '=', model)
    .where('uid', '=', uid)
    .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now)]))
    .executeTakeFirst()
  return row as Artifact | undefined
}

/** Consumes a live artifact: true for exactly one of all callers, concurrent or later. */
export async function consumeArtifact(tx: Transaction, { tenantId, model, id }: Address): Promise<boolean> {
  const result = await tx
    .updateTable('realmArtifacts')
    .set({ consumedAt: now })
    .where('tenantId', '=', tenantId)
    .where('model', '=', model)
    .where('id', '=', id)
    .where('consumedAt', 'is', null)
    .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now)]))
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** The use of an artifact: how long ago by the database's clock, and whether a key is needed to use it. */
export type Use = { secondsAgo: number; bound: boolean; grantId: string | null }

/** Undefined if the artifact does not exist or has not been used. */
export const findUse = (tx: Transaction, { tenantId, model, id }: Address): Promise<Use | undefined> =>
  tx
    .selectFrom('realmArtifacts')
    .select([
      'grantId',
      sql<boolean>`payload ? 'jkt'`.as('bound'),
      sql<number>`extract(epoch from clock_timestamp() - consumed_at)::float8`.as('secondsAgo'),
    ])
    .where('tenantId', '=', tenantId)
    .where('model', '=', model)
    .where('id', '=', id)
    .where('consumedAt', 'is not', null)
    .executeTakeFirst()

export async function deleteArtifact(tx: Transaction, { tenantId, model, id }: Address): Promise<void> {
  await tx
    .deleteFrom('realmArtifacts')
    .where('tenantId', '=', tenantId)
    .where('model', '=', model)
    .where('id', '=', id)
    .execute()
}

export async function deleteArtifactsOfGrant(
  tx: Transaction,
  { tenantId, model, grantId }: { tenantId: string; model: string; grantId: string },
): Promise<void> {
  await tx
    .deleteFrom('realmArtifacts')
    .where('tenantId', '=', tenantId)
    .where('model', '=', model)
    .where('grantId', '=', grantId)
    .execute()
}

export async function deleteArtifactsOfAccount(tx: Transaction, tenantId: string, accountId: string): Promise<void> {
  await tx
    .deleteFrom('realmArtifacts')
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`payload ->> 'accountId' = ${accountId}`)
    .execute()
}

export async function deleteExpiredArtifacts(tx: Transaction, tenantId: string): Promise<number> {
  const result = await tx
    .deleteFrom('realmArtifacts')
    .where('tenantId', '=', tenantId)
    .where('expiresAt', '<=', now)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
