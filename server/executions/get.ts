import { notFound } from '#lib/errors.ts'
import { Execution, GetExecutionInput } from '#lib/schemas/executions.ts'
import { loadExecution } from '#server/executions/state/load.ts'
import { requireBoundBelow } from '#server/kernel/bound/check.ts'
import { findErased } from '#server/kernel/content/erased-store.ts'
import { query } from '#server/kernel/operation.ts'
import { usageOf } from './runtimes/budget.ts'
import { summariesOf } from './summaries/summaries.ts'
import { executionView } from './view.ts'

/** One execution, masked. */
export const get = query({
  permission: 'execution:read',
  input: GetExecutionInput,
  output: Execution,
  async run({ tx, tenant, principal, input }) {
    // Sent together: one round trip.
    const [loaded, usage, erased] = await Promise.all([
      loadExecution(tx, tenant.id, input.id),
      usageOf(tx, tenant.id, input.id),
      findErased(tx, tenant.id, 'execution', input.id),
      requireBoundBelow(tx, tenant.id, 'execution_step', input.id),
    ])
    if (loaded === undefined) throw notFound()
    const [summary] = await summariesOf(tx, tenant.id, principal, [loaded.row])
    if (summary === undefined) throw notFound()
    return executionView(loaded, summary, { usage, erased })
  },
})
