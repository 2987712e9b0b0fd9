import { decimal, micros } from '#lib/rules/cost.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { Outcome } from '#server/policies/decisions/evaluate-request.ts'
import type { GovernedRequest } from '#server/policies/decisions/request.ts'
import { type BudgetObligation, type BudgetState, distinctBudgets, windowAt } from './budget.ts'
import {
  type BudgetWindow,
  databaseTime,
  giveBack,
  insertReservation,
  takeFromWindow,
  usedOfWindow,
} from './budget-store.ts'

/** The amount that a decision took from a window. */
type Taken = { windowId: string; reserved: bigint }
export type Held = { states: BudgetState[]; taken: Taken[] }

/**
 * Reserves what an allowed call needs of each budget, all or nothing. A call that needs an approval first reserves nothing yet,
 * but no approval is requested when a budget does not cover the call now.
 */
export async function holdBudgets(
  tx: Transaction,
  tenantId: string,
  request: GovernedRequest,
  outcome: Outcome,
): Promise<Held> {
  const states: BudgetState[] = []
  const taken: Taken[] = []
  if (outcome.effect === 'deny' || outcome.budgets.length === 0) return { states, taken }
  const at = await databaseTime(tx)
  for (const budget of distinctBudgets(outcome.budgets)) {
    const window = windowOf(request, budget, at)
    const amount = micros(budget.amount)
    const got = outcome.effect === 'allow' ? await takeFromWindow(tx, tenantId, window, amount) : undefined
    const used = got === undefined ? await usedOfWindow(tx, tenantId, window) : got.used - amount
    const held = outcome.effect === 'allow' ? got !== undefined : used + amount <= window.quota
    const { key, subject } = budget
    states.push({ key, subject, held, used: decimal(used), endsAt: window.endsAt?.toISOString() ?? null })
    if (got !== undefined) taken.push({ windowId: got.id, reserved: amount })
    if (!held) {
      for (const { windowId, reserved } of taken) await giveBack(tx, tenantId, windowId, reserved)
      return { states, taken: [] }
    }
  }
  return { states, taken }
}

/** Stores the reservations after their decision has been recorded. */
export async function keepTaken(
  tx: Transaction,
  tenantId: string,
  decisionId: string,
  taken: readonly Taken[],
): Promise<void> {
  for (const one of taken) await insertReservation(tx, { tenantId, decisionId, attempt: 1, ...one })
}

function windowOf(request: GovernedRequest, budget: BudgetObligation, at: Date): BudgetWindow {
  const { key, subject, reason, rule, scope, unit, windowSeconds, limit } = budget
  return {
    budget: key,
    subject,
    ...windowAt(at, windowSeconds),
    policyId: reason.policyId,
    rule,
    scope,
    unit,
    windowSeconds,
    environment: scope === 'tenant' ? undefined : request.environment,
    agentId: scope === 'agent' || scope === 'execution' ? request.agent.id : undefined,
    executionId: scope === 'execution' ? request.executionId : undefined,
    quota: micros(limit),
  }
}
