import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

const columns = ['id', 'name', 'synced', 'createdAt', 'lastUsedAt'] as const

/** False if the device's credential is already registered in the tenant. */
export async function insertPasskey(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    memberId: string
    name: string
    credentialId: string
    publicKey: Buffer
    signCount: number
    transports: string[]
    synced: boolean
  },
): Promise<boolean> {
  const result = await tx
    .insertInto('passkeys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenantId', 'credentialId']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** One page of a person's passkeys, newest first. */
export function listPasskeys(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
) {
  let query = tx
    .selectFrom('passkeys')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** The data that the browser needs to request one of them. At most `maxPasskeys`. */
export const findCredentials = (tx: Transaction, tenantId: string, memberId: string) =>
  tx
    .selectFrom('passkeys')
    .select(['credentialId', 'transports'])
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .orderBy('id')
    .execute()

/** Locks it until commit: of two concurrent uses, the second sees the count of the first. */
export const lockCredential = (tx: Transaction, tenantId: string, memberId: string, credentialId: string) =>
  tx
    .selectFrom('passkeys')
    .select(['id', 'publicKey', 'signCount'])
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .where('credentialId', '=', credentialId)
    .forUpdate()
    .executeTakeFirst()

export async function setUsed(tx: Transaction, tenantId: string, id: string, signCount: number): Promise<void> {
  await tx
    .updateTable('passkeys')
    .set({ signCount, lastUsedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

export const deletePasskey = (tx: Transaction, tenantId: string, memberId: string, id: string) =>
  tx
    .deleteFrom('passkeys')
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()

/** Returns their names. */
export async function deletePasskeysOf(tx: Transaction, tenantId: string, memberId: string): Promise<string[]> {
  await tx.deleteFrom('passkeyChallenges').where('tenantId', '=', tenantId).where('memberId', '=', memberId).execute()
  const removed = await tx
    .deleteFrom('passkeys')
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .returning('name')
    .execute()
  return removed.map(({ name }) => name)
}

/** Stores a challenge for `seconds`, and deletes the person's expired ones. */
export async function insertChallenge(
  tx: Transaction,
  {
    seconds,
    bound,
    ...row
  }: { tenantId: string; memberId: string; challenge: string; bound: JsonObject; seconds: number },
): Promise<void> {
  await tx
    .deleteFrom('passkeyChallenges')
    .where('tenantId', '=', row.tenantId)
    .where('memberId', '=', row.memberId)
    .where('expiresAt', '<=', sql<Date>`clock_timestamp()`)
    .execute()
  await tx
    .insertInto('passkeyChallenges')
    .values({
      ...row,
      bound: json(bound),
      expiresAt: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
    })
    .execute()
}

/** Uses a challenge up. Undefined if it was never created for this person, has been used, or has expired. */
export const takeChallenge = (tx: Transaction, tenantId: string, memberId: string, challenge: string) =>
  tx
    .deleteFrom('passkeyChallenges')
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .where('challenge', '=', challenge)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .returning('bound')
    .executeTakeFirst()

/** How many passkeys these members have, by the member. */
export async function countPasskeysOf(
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<Map<string, number>> {
  if (memberIds.length === 0) return new Map()
  const rows = await passkeyCounts(tx, { tenantId, memberIds })
  return new Map(rows.map(({ memberId, count }) => [memberId, Number(count)]))
}

const passkeyCounts = fixedStatement({ tenantId: '', memberIds: [''] }, (tx, { tenantId, memberIds }) =>
  tx
    .selectFrom('passkeys')
    .select((select) => ['memberId', select.fn.countAll<number>().as('count')])
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`member_id = any(${memberIds}::uuid[])`)
    .groupBy('memberId'),
)
