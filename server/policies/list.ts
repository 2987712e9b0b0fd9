import { ListPoliciesInput, PolicyList } from '#lib/schemas/policies.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { listPolicies as listRows } from './store.ts'
import { policyView } from './view.ts'

/** The policies of the tenant, newest first. */
export const listPolicies = query({
  permission: 'policy:read',
  input: ListPoliciesInput,
  output: PolicyList,
  async run({ tx, tenant, input }) {
    const rows = await listRows(tx, tenant.id, input.limit + 1, input.cursor)
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map((row) => row.createdBy),
    )
    return await boundPage(tx, tenant.id, 'policy', {
      rows: rows.map((row) => policyView(row, actor)),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
