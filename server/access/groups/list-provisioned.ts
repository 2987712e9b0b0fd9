import { ListProvisionedGroupsInput, ProvisionedGroupList } from '#lib/schemas/members.ts'
import { requireBoundTogether } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { actorOf } from '#server/tenants/actors.ts'
import {
  findApproverGroupsOf,
  findMembersNamed,
  listProvisionedGroups as listRows,
} from '#server/tenants/provider/provisioned-store.ts'
import { scimIssuerOf } from '#server/tenants/provider/scim-issuer.ts'

/** A group may have 10,000 members; these show whose it is. */
const mostShown = 20

/** The groups that the provider manages by SCIM, with whom it put there and which approver groups take them. */
export const listProvisioned = query({
  permission: 'member:manage',
  input: ListProvisionedGroupsInput,
  output: ProvisionedGroupList,
  async run({ tx, tenant, input }) {
    const found = scimIssuerOf(tenant)
    const issuer = 'issuer' in found ? found.issuer : null
    const rows = await listRows(tx, tenant.id, input.limit + 1, input.cursor)
    const { items, nextCursor } = pageOf(rows, input.limit, ({ id }) => id)
    if (items.length === 0) return { items: [], nextCursor, issuer }
    const names = items.map(({ name }) => name)
    const [members, taking] = await Promise.all([
      findMembersNamed(tx, tenant.id, names, mostShown),
      issuer === null ? [] : findApproverGroupsOf(tx, tenant.id, issuer, names),
    ])
    await requireBoundTogether(tx, tenant.id, {
      mapped_member: members.map(({ namedId }) => namedId),
      group_mapping: taking.map(({ mappingId }) => mappingId),
      approver_group: [...new Set(taking.map(({ id }) => id))],
    })
    return {
      items: items.map(({ id, name, externalId, updatedAt }) => {
        const own = members.filter(({ group }) => group === name)
        return {
          id,
          name,
          externalId,
          members: own.map(actorOf),
          memberCount: own[0]?.count ?? 0,
          approverGroups: taking.filter((row) => row.name === name).map(({ displayName }) => displayName),
          changedAt: updatedAt.toISOString(),
        }
      }),
      nextCursor,
      issuer,
    }
  },
})
