import { DelegationList, ListDelegationsInput } from '#lib/schemas/delegations.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listDelegations } from './store.ts'
import { delegationViews } from './view.ts'

/** The past, current and planned delegations of the tenant, newest first. */
export const list = query({
  permission: 'approval:decide',
  input: ListDelegationsInput,
  output: DelegationList,
  async run({ tx, tenant, principal, input }) {
    const rows = await listDelegations(tx, tenant.id, {
      memberId: input.mine ? principal.memberId : undefined,
      limit: input.limit + 1,
      cursor: input.cursor,
    })
    return await boundPage(tx, tenant.id, 'approver_delegation', {
      rows: await delegationViews(tx, tenant.id, rows),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
