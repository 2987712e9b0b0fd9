import { callerOf } from '#server/demo/act-as.ts'
import { makeMembers, makeTenant } from '#server/demo/make-tenant.ts'
import { branding, demoClients, demoTenants, demoUsers } from '#server/demo/tenants.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { newRandomId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Credentials } from './api.ts'
import { until } from './until.ts'

/** The external ids of the demo's tenants and of tenants with these slugs. */
export const externalIdsWith = (slugs: readonly string[]): string[] => [
  ...demoTenants.map((tenant) => tenant.externalId),
  ...slugs.map(externalIdOf),
]

const externalIdOf = (slug: string) => `org-${slug}`

/**
 * Adds a tenant with the people and programs of the demo's to the server that this process has joined. Its rows are bound, as those of
 * a running installation are.
 */
export async function addTenant(slug: string): Promise<Credentials['tenants'][number]> {
  const tenant = {
    id: newRandomId(),
    slug,
    externalId: externalIdOf(slug),
    name: slug,
    displayName: slug,
    branding: branding(slug, '#0f766e'),
  }
  const mailDomain = `${slug}.example`
  const groups = [{ name: 'refund-approvers', displayName: 'Refund approvers' }]
  const made = await runtime().database.inTenant(tenant.id, async (tx) => {
    await makeTenant(tx, tenant)
    return await makeMembers(tx, tenant, { mailDomain, groups, users: demoUsers, clients: demoClients })
  })
  await until(async () => ((await adoptTenant(tenant.id)) ? true : undefined), `the rows of ${slug} were bound`)
  return made
}

/** A member of a demo tenant, or of one that was added, as the transports would make them. */
export const memberOf = (tenantId: string, username: string): Promise<Caller> => callerOf(tenantId, username)
