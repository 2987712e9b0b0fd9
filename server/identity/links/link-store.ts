import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

const now = sql<Date>`clock_timestamp()`

export async function insertLink(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    userId: string
    tokenSha256: Buffer
    purpose: 'invitation' | 'reset'
    mailed: boolean
    expiresAt: Date
  },
): Promise<void> {
  await tx.insertInto('realmSignInLinks').values(row).execute()
}

/** A link that is still valid, with its person; undefined for any other. */
export const findLiveLink = (tx: Transaction, tenantId: string, tokenSha256: Buffer) =>
  tx
    .selectFrom('realmSignInLinks as link')
    .innerJoin('realmUsers as user', (join) =>
      join.onRef('user.tenantId', '=', 'link.tenantId').onRef('user.id', '=', 'link.userId'),
    )
    .select(['link.userId', 'link.purpose', 'link.mailed', 'user.username', 'user.displayName', 'user.email'])
    .where('link.tenantId', '=', tenantId)
    .where('link.tokenSha256', '=', tokenSha256)
    .where('link.usedAt', 'is', null)
    .where('link.expiresAt', '>', now)
    .where('user.disabledAt', 'is', null)
    .executeTakeFirst()

/** live → used, for exactly one of several concurrent callers. */
export async function setLinkUsed(tx: Transaction, tenantId: string, tokenSha256: Buffer): Promise<boolean> {
  const result = await tx
    .updateTable('realmSignInLinks')
    .set({ usedAt: now })
    .where('tenantId', '=', tenantId)
    .where('tokenSha256', '=', tokenSha256)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Invalidates the person's unused links. */
export async function deleteOpenLinks(tx: Transaction, tenantId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('realmSignInLinks')
    .where('tenantId', '=', tenantId)
    .where('userId', '=', userId)
    .where('usedAt', 'is', null)
    .execute()
}

/** When the newest unused link of each of these people expires. */
export const findLinkEnds = (tx: Transaction, tenantId: string, userIds: readonly string[]) =>
  linkEnds(tx, { tenantId, userIds })

const linkEnds = fixedStatement({ tenantId: '', userIds: [''] }, (tx, { tenantId, userIds }) =>
  tx
    .selectFrom('realmSignInLinks')
    .select('userId')
    .select((e) => e.fn.max('expiresAt').as('expiresAt'))
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`user_id = any(${userIds}::uuid[])`)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .groupBy('userId'),
)

export async function setPassword(
  tx: Transaction,
  tenantId: string,
  userId: string,
  passwordHash: string | null,
): Promise<void> {
  await tx
    .updateTable('realmUsers')
    .set({ passwordHash })
    .where('tenantId', '=', tenantId)
    .where('id', '=', userId)
    .execute()
}

/** Replaces the password with this hash. Returns false if another one is stored by now. */
export async function replacePassword(
  tx: Transaction,
  tenantId: string,
  userId: string,
  { verified, next }: { verified: string; next: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('realmUsers')
    .set({ passwordHash: next })
    .where('tenantId', '=', tenantId)
    .where('id', '=', userId)
    .where('passwordHash', '=', verified)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Deletes the account and its links; its subject is never used again. */
export async function deleteUser(tx: Transaction, tenantId: string, userId: string): Promise<void> {
  await tx.deleteFrom('realmUsers').where('tenantId', '=', tenantId).where('id', '=', userId).execute()
}

export const isUsernameTaken = async (tx: Transaction, tenantId: string, username: string): Promise<boolean> =>
  (await tx
    .selectFrom('realmUsers')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('username', '=', username)
    .executeTakeFirst()) !== undefined
