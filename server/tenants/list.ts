import { ListTenantsInput, MembershipList } from '#lib/schemas/tenants.ts'
import { withOwnMemberships } from '#server/kernel/db/database.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listMemberships } from './store.ts'
import { brandingOf } from './view.ts'

/** Every tenant in which the caller has an active membership, for the switcher. */
export const list = query({
  permission: 'any',
  input: ListTenantsInput,
  output: MembershipList,
  async run({ tx, tenant, principal, input }) {
    const rows = await withOwnMemberships(tx, principal, () =>
      listMemberships(tx, principal, input.limit + 1, input.cursor),
    )
    const memberships = rows.map((row) => ({
      ...row,
      branding: brandingOf(row.branding),
      current: row.id === tenant.id,
    }))
    return pageOf(memberships, input.limit, (membership) => membership.id)
  },
})
