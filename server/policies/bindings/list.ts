import { BindingList, ListBindingsInput } from '#lib/schemas/policies.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { bindingView } from '#server/policies/view.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { listBindings as listRows } from './binding-store.ts'

/** Bindings in any status, newest first, filtered by agent, policy, environment and status. */
export const listBindings = query({
  permission: 'policy:read',
  input: ListBindingsInput,
  output: BindingList,
  async run({ tx, tenant, input }) {
    const rows = await listRows(tx, tenant.id, input, input.limit + 1, input.cursor)
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map((row) => row.proposedBy),
    )
    return await boundPage(tx, tenant.id, 'policy_binding', {
      rows: rows.map((row) => bindingView(row, actor)),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
