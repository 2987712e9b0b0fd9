import { ApiError, notFound } from '#lib/errors.ts'
import { SettleInput, SettleOutput } from '#lib/schemas/external-agents.ts'
import { mutation } from '#server/kernel/operation.ts'
import { settleBudgets } from '#server/policies/budgets/settle-budgets.ts'
import { decisionAskedBy } from '#server/policies/decisions/decide.ts'

/**
 * policies.settle: an external agent says how the call ended that it was allowed, and what it used: budgets are
 * charged with that, once, in the place of all that was reserved. Only who asked for the decision can say so.
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
      throw new ApiError('conflict', 'Only the member who asked for this decision can settle it.')
    const tokens = usage === undefined ? undefined : usage.inputTokens + usage.outputTokens
    const end = made ? { made: 'yes' as const, tokens, cost } : { made: 'no' as const }
    const settled = await settleBudgets(tx, tenant.id, { decisionId, attempt: 1 }, end)
    if (settled.length === 0)
      throw new ApiError('conflict', 'Nothing is reserved for this decision, or it was settled before.')
    return { decisionId, settled }
  },
})
