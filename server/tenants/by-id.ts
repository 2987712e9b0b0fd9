import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The tenant of a job. Throws if it does not exist: jobs never outlive their tenant. */
export const tenantById = (tx: Transaction, id: string): Promise<Tenant> =>
  tx
    .selectFrom('tenants')
    .select(['id', 'slug', 'externalId', 'name', 'displayName', 'branding', 'settings'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
