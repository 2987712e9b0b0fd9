import type { Transaction } from '#server/kernel/db/database.ts'

/** The tenant whose realm has this slug, read from the directory without a tenant. */
export const findRealm = (tx: Transaction, slug: string) =>
  tx
    .selectFrom('tenants')
    .select(['id as tenantId', 'slug', 'externalId', 'displayName', 'branding'])
    .where('slug', '=', slug)
    .executeTakeFirst()
