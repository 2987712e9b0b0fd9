import { notFound } from '#lib/errors.ts'
import { Execution, GetExecutionInput } from '#lib/schemas/executions.ts'
import { loadExecution } from '#server/executions/state/load.ts'
import { requireBoundBelow } from '#server/kernel/bound/check.ts'
import { findErased } from '#server/kernel/content/erased-store.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { usageOf } from './runtimes/budget.ts'
import { executionView } from './view.ts'

/** One execution, masked. */
export const get = query({
  permission: 'execution:read',
  input: GetExecutionInput,
  output: Execution,
  async run({ tx, tenant, input }) {
    const [loaded] = await Promise.all([
      loadExecution(tx, tenant.id, input.id),
      requireBoundBelow(tx, tenant.id, 'execution_step', input.id),
    ])
    if (loaded === undefined) throw notFound()
    const actor = await actorsById(tx, tenant.id, [loaded.row.startedBy])
    const [usage, erased] = await Promise.all([
      usageOf(tx, tenant.id, input.id),
      findErased(tx, tenant.id, 'execution', input.id),
    ])
    return executionView(loaded, actor, { usage, erased })
  },
})
