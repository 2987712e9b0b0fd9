import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

export type Artifact = { payload: JsonObject; consumedAt: Date | null }
type Address = { tenantId: string; model: string; id: string }
type Row = Address & { payload: JsonObject; grantId: string | null; uid: string | null; expiresAt: Date | null }

const now = sql<Date>`now()`

/**
 * Models whose artifacts end once and for all. A request that read one before it ended writes it again, so its row stays, without
 * content, for longer than any request takes.
 */
const ending: readonly string[] = ['Session', 'Grant']
const endedMinutes = 30

/** Writes the artifact; a consumed artifact stays consumed, and nothing is written for a session or a grant that has ended. */
export async function upsertArtifact(tx: Transaction, { payload, ...row }: Row): Promise<void> {
  const values = { ...row, payload: json(payload) }
  const { grantId, uid, expiresAt, tenantId, model } = row
  // A session keeps its uid when it gets another id.
  if (ending.includes(model) && uid !== null && (await isEnded(tx, { tenantId, model, uid }))) return
  await tx
    .insertInto('realmArtifacts')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'model', 'id'])
        .doUpdateSet({ payload: values.payload, grantId, uid, expiresAt })
        // The statement waits for a transaction that ends it.
        .where((where) =>
          where.or([
            where('realmArtifacts.consumedAt', 'is', null),
            where('realmArtifacts.model', 'not in', [...ending]),
          ]),
        ),
    )
    .execute()
}

const isEnded = async (
  tx: Transaction,
  { tenantId, model, uid }: { tenantId: string; model: string; uid: string },
): Promise<boolean> =>
  (await tx
    .selectFrom('realmArtifacts')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('model', '=', model)
    .where('uid', '=', uid)
    .where('consumedAt', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Ends sessions and grants: of an account, of a session's uid, or one by its id. */
export async function endArtifacts(
  tx: Transaction,
  tenantId: string,
  which: { accountId: string } | { model: string; uid: string } | { model: string; id: string },
): Promise<void> {
  // Long expired: neither a process of an older version nor a transaction that began before finds it.
  const ended = tx
    .updateTable('realmArtifacts')
    .set({ payload: json({}), grantId: null, consumedAt: now, expiresAt: sql<Date>`to_timestamp(0)` })
    .where('tenantId', '=', tenantId)
    .where('consumedAt', 'is', null)
  if ('accountId' in which)
    await ended
      .where('model', 'in', [...ending])
      .where(sql<boolean>`payload ->> 'accountId' = ${which.accountId}`)
      .execute()
  else if ('uid' in which) await ended.where('model', '=', which.model).where('uid', '=', which.uid).execute()
  // Without its uid: a session that only gets another id is destroyed under the old one.
  else await ended.set({ uid: null }).where('model', '=', which.model).where('id', '=', which.id).execute()
}

export const endsForGood = (model: string): boolean => ending.includes(model)

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
    // A process of an older version may have written an ended one again.
    .where((where) => where.or([where('consumedAt', 'is', null), where('model', 'not in', [...ending])]))
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
    // A process of an older version may have written an ended one again.
    .where((where) => where.or([where('consumedAt', 'is', null), where('model', 'not in', [...ending])]))
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
  await endArtifacts(tx, tenantId, { accountId })
  await tx
    .deleteFrom('realmArtifacts')
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`payload ->> 'accountId' = ${accountId}`)
    .execute()
  // A sign-in that has not reached its last redirect names its account elsewhere.
  await tx
    .deleteFrom('realmArtifacts')
    .where('tenantId', '=', tenantId)
    .where('model', '=', 'Interaction')
    .where(sql<boolean>`${accountId} in (payload #>> '{result,login,accountId}', payload #>> '{session,accountId}')`)
    .execute()
}

export async function deleteExpiredArtifacts(tx: Transaction, tenantId: string): Promise<number> {
  const result = await tx
    .deleteFrom('realmArtifacts')
    .where('tenantId', '=', tenantId)
    .where('expiresAt', '<=', now)
    .where((where) =>
      where.or([
        where('model', 'not in', [...ending]),
        where('consumedAt', 'is', null),
        where('consumedAt', '<', sql<Date>`now() - make_interval(mins => ${endedMinutes})`),
      ]),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
