import { ExecutionList, ListExecutionsInput } from '#lib/schemas/executions.ts'
import { listExecutions } from '#server/executions/state/store.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { executionSummary } from './view.ts'

/** Executions, newest first, optionally of one agent or with certain statuses. */
export const list = query({
  permission: 'execution:read',
  input: ListExecutionsInput,
  output: ExecutionList,
  async run({ tx, tenant, input }) {
    const rows = await listExecutions(tx, tenant.id, { ...input, limit: input.limit + 1 })
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map((row) => row.startedBy),
    )
    return await boundPage(tx, tenant.id, 'execution', {
      rows: rows.map((row) => executionSummary(row, actor)),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
