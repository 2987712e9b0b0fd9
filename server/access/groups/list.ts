import { GroupList, ListGroupsInput } from '#lib/schemas/members.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listGroups } from '#server/tenants/group-store.ts'
import { groupViews } from './view.ts'

export const list = query({
  permission: 'member:manage',
  input: ListGroupsInput,
  output: GroupList,
  async run({ tx, tenant, input }) {
    const rows = await listGroups(tx, tenant.id, input.limit + 1, input.cursor)
    return await boundPage(tx, tenant.id, 'approver_group', {
      rows: await groupViews(tx, tenant.id, rows),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
