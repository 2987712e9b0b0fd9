import { denied, type Outcome } from '#server/policies/decisions/evaluate-request.ts'
import { type BudgetState, distinctBudgets, exhausted } from './budget.ts'

/**
 * Combines the outcome of the rules with the state of their budgets: a call that exceeds any budget is denied. The same states
 * give the same outcome, so a recorded decision can be recomputed. A budget without a state was not checked.
 */
export function judgeBudgets(outcome: Outcome, states: readonly BudgetState[]): Outcome {
  if (outcome.effect === 'deny' || outcome.budgets.length === 0) return outcome
  const stateOf = (key: string | undefined) => states.find((state) => state.key === key)
  for (const budget of distinctBudgets(outcome.budgets)) {
    const state = stateOf(budget.key)
    if (state !== undefined && !state.held) {
      const refusal = denied('budget_exhausted', exhausted(budget, state), [budget.reason])
      return { ...refusal, asked: outcome.asked }
    }
  }
  const obligations = outcome.obligations.map((obligation) => {
    const state = obligation.kind === 'budget' ? stateOf(obligation.parameters.key) : undefined
    if (state === undefined) return obligation
    const { used, endsAt } = state
    const parameters = { ...obligation.parameters, used, ...(endsAt === null ? {} : { windowEndsAt: endsAt }) }
    return { ...obligation, parameters }
  })
  return { ...outcome, obligations }
}
