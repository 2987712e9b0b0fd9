import { Session } from '#lib/schemas/tenants.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { listLanguages } from '#server/languages/language-store.ts'
import { findResetsToAcknowledge } from './account-link-store.ts'
import { findGroupsOf } from './group-store.ts'
import { findTenantRevision } from './store.ts'
import { settingsOf, tenantView } from './view.ts'

/**
 * session.me: the caller, their permissions and the rules of the tenant, so that the console can explain why a control
 * is blocked.
 */
export const me = query({
  permission: 'any',
  input: noInput,
  output: Session,
  async run({ tx, tenant, principal }) {
    const groups = await findGroupsOf(tx, tenant.id, principal.memberId)
    return {
      principal: {
        id: principal.memberId,
        kind: principal.kind,
        username: principal.username,
        displayName: principal.displayName,
        roles: principal.roles,
        permissions: [...principal.permissions],
        groups: groups.map((group) => group.name),
      },
      tenant: tenantView(tenant),
      settings: settingsOf(tenant),
      language: (await listLanguages(tx, tenant.id, [principal.memberId])).get(principal.memberId) ?? null,
      resets: (await findResetsToAcknowledge(tx, tenant.id, principal)).map((reset) => ({
        id: reset.id,
        at: reset.createdAt.toISOString(),
        by: reset.personName,
        passkeysRemoved: reset.passkeysRemoved,
      })),
      tenantRevision: await findTenantRevision(tx, tenant.id),
      demo: runtime().config.seedDemo,
    }
  },
})
