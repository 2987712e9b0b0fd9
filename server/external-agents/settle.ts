import { ApiError, notFound } from '#lib/errors.ts'
import { SettleInput, SettleOutput } from '#lib/schemas/external-agents.ts'
import { mutation } from '#server/kernel/operation.ts'
import { settleBudgets } from '#server/policies/budgets/settle-budgets.ts'
import { decisionAskedBy } from '#server/policies/decisions/decide.ts'

/**
 * policies.settle: an external agent reports the outcome and usage of an allowed call. Budgets are charged with it once, in place
 * of the full reservation. Only the member who requested the decision can settle it.
 */
export const settle = mutation({
  permission: 'execution:start',
  input: SettleInput,
  output: SettleOutput,
  audit: ({ decisionId, made }, output) => ({
    action: 'policy.budget_settled',
    resource: { type: 'policy_decision', id: decisionId },
    details: { made, budgets: output?.settled },
  }),
  async run({ tx, tenant, principal, input: { decisionId, made, usage, cost } }) {
    const askedBy = await decisionAskedBy(tx, tenant.id, decisionId)
    if (askedBy === undefined) throw notFound()
    if (askedBy !== principal.memberId)
      throw new ApiError('conflict', 'Only the member who requested this decision can settle it.')
    const tokens = usage === undefined ? undefined : usage.inputTokens + usage.outputTokens
    const end = made ? { made: 'yes' as const, tokens, cost } : { made: 'no' as const }
    const settled = await settleBudgets(tx, tenant.id, { decisionId, attempt: 1 }, end)
    if (settled.length === 0)
      throw new ApiError('conflict', 'This decision does not have a reservation or was already settled.')
    return { decisionId, settled }
  },
})
