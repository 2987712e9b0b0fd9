import { sql } from 'kysely'
import { onOrdinaryClock } from '#server/kernel/clock/ordinary-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The tenant whose realm has this slug, read from the directory without a tenant. No one signs in to a demo that is being filled. */
export const findRealm = (tx: Transaction, slug: string) =>
  tx
    .selectFrom('tenants')
    .select(['id as tenantId', 'slug', 'externalId', 'displayName', 'branding'])
    .where('slug', '=', slug)
    .where(onOrdinaryClock)
    .executeTakeFirst()

/** The slug of the tenant with this external id, read from the directory without a tenant. */
export const findRealmSlug = (tx: Transaction, externalId: string) =>
  tx.selectFrom('tenants').select('slug').where('externalId', '=', externalId).executeTakeFirst()

/** Whether the tenant lets clients of other vendors register themselves. */
export async function clientsMayRegister(tx: Transaction, tenantId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('tenants')
    .select(sql<boolean>`coalesce(settings ->> 'clientRegistration' = 'on', false)`.as('on'))
    .where('id', '=', tenantId)
    .executeTakeFirst()
  return row?.on === true
}
