import type { Transaction } from '#server/kernel/db/database.ts'

/** The tenant whose realm has this slug, read from the directory without a tenant. */
export const findRealm = (tx: Transaction, slug: string) =>
  tx
    .selectFrom('tenants')
    .select(['id as tenantId', 'slug', 'externalId', 'displayName', 'branding'])
    .where('slug', '=', slug)
    .executeTakeFirst()

/** The slug of the tenant with this external id, read from the directory without a tenant. */
export const findRealmSlug = (tx: Transaction, externalId: string) =>
  tx.selectFrom('tenants').select('slug').where('externalId', '=', externalId).executeTakeFirst()
