import type { Transaction } from '#server/kernel/db/database.ts'
import type { Tenant } from './principal.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The tenant with both names, where both are given. Undefined when there is none, or when they are of two tenants. */
export async function findTenant(
  tx: Transaction,
  { externalId, id }: { externalId: string | undefined; id: string | undefined },
): Promise<Tenant | undefined> {
  if (id !== undefined && !uuid.test(id)) return undefined
  // A text that PostgreSQL can't hold names no tenant.
  if (externalId?.includes('\0') === true) return undefined
  let query = tx
    .selectFrom('tenants')
    .select(['id', 'slug', 'externalId', 'name', 'displayName', 'branding', 'settings'])
  if (externalId !== undefined) query = query.where('externalId', '=', externalId)
  if (id !== undefined) query = query.where('id', '=', id)
  return await query.executeTakeFirst()
}

export const findMember = (tx: Transaction, tenantId: string, issuer: string, subject: string) =>
  tx
    .selectFrom('members')
    .select(['id', 'kind', 'username', 'displayName', 'roles', 'status'])
    .where('tenantId', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
