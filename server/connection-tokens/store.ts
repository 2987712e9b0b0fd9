import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Inserts the token and the row by which a request with it finds its tenant. */
export async function insertToken(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    memberId: string
    name: string
    use: string
    agents: string[] | null
    tokenSha256: Buffer
    createdBy: string
    expiresAt: Date
  },
): Promise<void> {
  await tx.insertInto('connectionTokens').values(row).execute()
  await tx.insertInto('connectionTokenIndex').values({ tokenSha256: row.tokenSha256, tenantId: row.tenantId }).execute()
}

const selectTokens = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('connectionTokens as token')
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'token.tenantId').onRef('member.id', '=', 'token.memberId'),
    )
    .leftJoin('connectionTokenUses as use', (join) =>
      join.onRef('use.tenantId', '=', 'token.tenantId').onRef('use.tokenId', '=', 'token.id'),
    )
    .select([
      'token.id',
      'token.name',
      'token.use',
      'token.agents',
      'token.createdBy',
      'token.createdAt',
      'token.expiresAt',
      'token.revokedAt',
      'token.revision',
      'member.id as memberId',
      'member.username',
      'member.displayName',
      'member.status as memberStatus',
      'use.usedAt',
    ])
    .select(sql<boolean>`token.expires_at <= clock_timestamp()`.as('expired'))
    .where('token.tenantId', '=', tenantId)

export type TokenRow = Awaited<ReturnType<typeof listTokens>>[number]

export const findToken = (tx: Transaction, tenantId: string, id: string) =>
  selectTokens(tx, tenantId).where('token.id', '=', id).executeTakeFirst()

/** The names of tokens, by their ids. */
export async function findTokenNames(
  tx: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('connectionTokens')
    .select(['id', 'name'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Whether a token for this use is valid now. */
export async function isUseOpen(tx: Transaction, tenantId: string, use: string): Promise<boolean> {
  const found = await selectTokens(tx, tenantId)
    .where('token.use', '=', use)
    .where('token.revokedAt', 'is', null)
    .where('token.expiresAt', '>', sql<Date>`clock_timestamp()`)
    .where('member.status', '=', 'active')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Newest first; of one service account, or of all. */
export const listTokens = (
  tx: Transaction,
  tenantId: string,
  memberId: string | undefined,
  limit: number,
  cursor: string | undefined,
) =>
  selectTokens(tx, tenantId)
    .$if(memberId !== undefined, (q) => q.where('token.memberId', '=', memberId ?? ''))
    .$if(cursor !== undefined, (q) => q.where('token.id', '<', cursor ?? ''))
    .orderBy('token.id', 'desc')
    .limit(limit)
    .execute()

const revokeWhere = (tx: Transaction, tenantId: string) =>
  tx
    .updateTable('connectionTokens')
    .set((e) => ({ revokedAt: sql<Date>`clock_timestamp()`, revision: e('revision', '+', 1) }))
    .where('tenantId', '=', tenantId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)

/** active → revoked, permanently. Returns the service account; undefined for a token that has ended. */
export async function setRevoked(tx: Transaction, tenantId: string, id: string): Promise<string | undefined> {
  return (await revokeWhere(tx, tenantId).where('id', '=', id).returning('memberId').executeTakeFirst())?.memberId
}

/** Revokes all active tokens of a service account. */
export async function setAllRevoked(tx: Transaction, tenantId: string, memberId: string): Promise<void> {
  await revokeWhere(tx, tenantId).where('memberId', '=', memberId).execute()
}
