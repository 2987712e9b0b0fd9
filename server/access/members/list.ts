import { ListMembersInput, MemberList } from '#lib/schemas/members.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { countApprovers, listMembers } from '#server/tenants/member-store.ts'
import { accountSource } from './account-source.ts'
import { memberViews } from './view.ts'

/** People and service accounts of the tenant, oldest first, including removed ones. */
export const list = query({
  permission: 'member:manage',
  input: ListMembersInput,
  output: MemberList,
  async run({ tx, tenant, input }) {
    const filter = { status: input.status, kind: input.kind, control: input.control, passkey: input.passkey }
    const [rows, passkeys, accounts] = await Promise.all([
      listMembers(tx, tenant.id, filter, input.limit + 1, input.cursor),
      countApprovers(tx, tenant.id),
      accountSource(tx, tenant),
    ])
    const page = await boundPage(tx, tenant.id, 'member', {
      rows: await memberViews(tx, tenant, rows),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
    return { ...page, passkeys, accounts }
  },
})
