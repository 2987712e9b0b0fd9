import { GroupList, ListGroupsInput } from '#lib/schemas/members.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listGroups } from '#server/tenants/group-store.ts'
import { groupViews } from './view.ts'

export const list = query({
  permission: 'member:manage',
  input: ListGroupsInput,
  output: GroupList,
  async run({ tx, tenant, input }) {
    const rows = await listGroups(tx, tenant.id, input.limit + 1, input.cursor)
    const page = pageOf(await groupViews(tx, tenant.id, rows), input.limit, (group) => group.id)
    await requireBound(
      tx,
      tenant.id,
      'approver_group',
      page.items.map(({ id }) => id),
    )
    return page
  },
})
