import { ListServiceAccountsInput, type ServiceAccount, ServiceAccountList } from '#lib/schemas/service-accounts.ts'
import { serviceClients } from '#server/identity/clients/service-clients.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { listMachines } from '#server/tenants/machine-store.ts'
import { findSponsors } from '#server/tenants/store.ts'
import { statusOf } from './account.ts'

/** The service accounts of the tenant, newest first. */
export const list = query({
  permission: 'service-account:manage',
  input: ListServiceAccountsInput,
  output: ServiceAccountList,
  async run({ tx, tenant, input }) {
    const rows = await listMachines(tx, tenant.id, issuerOf(tenant.slug), input.limit + 1, input.cursor)
    const page = { rows, limit: input.limit, idOf: ({ id }: { id: string }) => id }
    const [clients, links, { items, nextCursor }] = await Promise.all([
      serviceClients(
        tx,
        tenant.id,
        rows.map((row) => row.subject),
      ),
      findSponsors(
        tx,
        tenant.id,
        rows.map((row) => row.id),
      ),
      boundPage(tx, tenant.id, 'member', page),
    ])
    const actor = await actorsById(
      tx,
      tenant.id,
      links.map((link) => link.personId),
    )
    const accounts = items.map((row): ServiceAccount => {
      const client = clients.get(row.subject) ?? { clientId: row.subject, disabled: true, secrets: [] }
      const sponsors = links.filter((link) => link.memberId === row.id)
      return {
        id: row.id,
        clientId: row.subject,
        name: row.displayName,
        roles: row.roles,
        status: statusOf(row.status, client),
        sponsors: sponsors.map(({ personId, link }) => ({ person: actor(personId), link: linkOf(link) })),
        secrets: client.secrets.map((secret) => ({
          id: secret.id,
          createdAt: secret.createdAt.toISOString(),
          notAfter: secret.notAfter?.toISOString() ?? null,
        })),
        createdAt: row.createdAt.toISOString(),
        lastUsedAt: row.usedAt?.toISOString() ?? null,
      }
    })
    return { items: accounts, nextCursor }
  },
})

const linkOf = (link: string): 'created' | 'rotated' | 'token' =>
  link === 'created' || link === 'token' ? link : 'rotated'
