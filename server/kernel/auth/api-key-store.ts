import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { Tenant } from './principal.ts'

/**
 * The tenant that a key belongs to, read without a tenant: the index reveals only the row whose digest the query names.
 */
export async function findTenantOfKey(tx: Transaction, keySha256: Buffer): Promise<Tenant | undefined> {
  await sql`select set_config('app.api_key_sha256', ${keySha256.toString('hex')}, true)`.execute(tx)
  return await tx
    .selectFrom('apiKeyIndex as known')
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
    .where('known.keySha256', '=', keySha256)
    .executeTakeFirst()
}

/** A key that is neither revoked, archived nor expired (by the database's clock), with an active membership. */
export const findLiveKey = (tx: Transaction, tenantId: string, keySha256: Buffer) =>
  tx
    .selectFrom('apiKeys as key')
    .innerJoin('secrets as secret', (join) =>
      join.onRef('secret.tenantId', '=', 'key.tenantId').onRef('secret.id', '=', 'key.secretId'),
    )
    .innerJoin('members as member', (join) =>
      join.onRef('member.tenantId', '=', 'key.tenantId').onRef('member.id', '=', 'key.memberId'),
    )
    .select([
      'key.id',
      'key.permissions',
      'secret.expiresAt',
      'member.id as memberId',
      'member.issuer',
      'member.subject',
      'member.username',
      'member.displayName',
    ])
    .where('key.tenantId', '=', tenantId)
    .where('key.keySha256', '=', keySha256)
    .where('secret.revokedAt', 'is', null)
    .where('secret.archivedAt', 'is', null)
    .where((where) =>
      where.or([where('secret.expiresAt', 'is', null), where('secret.expiresAt', '>', sql<Date>`clock_timestamp()`)]),
    )
    .where('member.status', '=', 'active')
    .executeTakeFirst()
