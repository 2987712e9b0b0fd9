import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { Tenant } from '../principal.ts'

/**
 * The tenant that a connection token belongs to, read without a tenant: the index reveals only the row whose digest the
 * query names.
 */
export async function findTenantOfToken(tx: Transaction, tokenSha256: Buffer): Promise<Tenant | undefined> {
  await sql`select set_config('app.connection_token_sha256', ${tokenSha256.toString('hex')}, true)`.execute(tx)
  return await tx
    .selectFrom('connectionTokenIndex as known')
    .innerJoin('tenants as tenant', 'tenant.id', 'known.tenantId')
    .select([
      'tenant.id',
      'tenant.slug',
      'tenant.externalId',
      'tenant.name',
      'tenant.displayName',
      'tenant.branding',
      'tenant.settings',
    ])
    .where('known.tokenSha256', '=', tokenSha256)
    .executeTakeFirst()
}

/** A token that is neither revoked nor expired (by the database's clock), of an active service account. */
export const findLiveToken = (tx: Transaction, tenantId: string, tokenSha256: Buffer) =>
  tx
    .selectFrom('connectionTokens as token')
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'token.tenantId').onRef('member.id', '=', 'token.memberId'),
    )
    .select([
      'token.id',
      'token.use',
      'token.agents',
      'token.expiresAt',
      'member.id as memberId',
      'member.issuer',
      'member.subject',
      'member.username',
      'member.displayName',
      'member.roles',
    ])
    .where('token.tenantId', '=', tenantId)
    .where('token.tokenSha256', '=', tokenSha256)
    .where('token.revokedAt', 'is', null)
    .where('token.expiresAt', '>', sql<Date>`clock_timestamp()`)
    .where('member.kind', '=', 'service_account')
    .where('member.status', '=', 'active')
    .executeTakeFirst()

/** Whether a token that was accepted is still neither revoked nor expired. */
export const isTokenLive = async (tx: Transaction, tenantId: string, id: string): Promise<boolean> =>
  (await tx
    .selectFrom('connectionTokens')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()) !== undefined

/** Sets a token's last use to now, unless another node has done so within the last minute. */
export async function setLastTokenUse(tx: Transaction, tenantId: string, tokenId: string): Promise<void> {
  await sql`insert into connection_token_uses as use (tenant_id, token_id, used_at)
    values (${tenantId}, ${tokenId}, clock_timestamp())
    on conflict (tenant_id, token_id) do update set used_at = excluded.used_at
    where use.used_at < excluded.used_at - interval '1 minute'`.execute(tx)
}
