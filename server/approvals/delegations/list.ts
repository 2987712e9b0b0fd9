import { DelegationList, ListDelegationsInput } from '#lib/schemas/delegations.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
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
    const page = pageOf(await delegationViews(tx, tenant.id, rows), input.limit, (delegation) => delegation.id)
    await requireBound(
      tx,
      tenant.id,
      'approver_delegation',
      page.items.map(({ id }) => id),
    )
    return page
  },
})
