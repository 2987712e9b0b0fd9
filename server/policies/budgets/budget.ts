import { z } from 'zod'
import { durationSeconds } from '#lib/duration.ts'
import { decimal, micros } from '#lib/rules/cost.ts'
import {
  type BudgetScope,
  type BudgetUnit,
  budgetScopes,
  budgetUnits,
  type DecisionReason,
} from '#lib/schemas/policies.ts'
import type { DecidingPolicy } from '#server/policies/decisions/deciding-set.ts'
import { reasonOf } from '#server/policies/decisions/obligations.ts'
import { type GovernedRequest, resourceOf } from '#server/policies/decisions/request.ts'
import type { Fired } from '#server/policies/engine/soft-forbid.ts'

/** What must be reserved before the call; a failed reservation denies it. Amounts are decimal numbers as text. */
export type BudgetObligation = {
  rule: string
  reason: DecisionReason
  /** Identifies the budget: policy (in any version), rule, scope, unit and window. `subject` is what it counts for. */
  key: string
  subject: string
  scope: BudgetScope
  /** Length of a window, after which the budget resets; undefined: never, or with the next execution. */
  windowSeconds: number | undefined
  unit: BudgetUnit
  limit: string
  /** The most this call can use. */
  amount: string
}

/** The budget that a rule requires, or a sentence stating why nothing can be reserved; recorded like every reason (`denied`). */
export function budgetOf(
  policies: readonly DecidingPolicy[],
  fired: Fired,
  request: GovernedRequest,
): BudgetObligation | string {
  const { annotations } = fired.rule
  const scope = budgetScopes.find((one) => one === (annotations.budget_scope ?? 'agent'))
  const unit = budgetUnits.find((one) => one === annotations.budget_unit)
  const limit = annotations.budget_limit
  if (scope === undefined || unit === undefined || limit === undefined) return 'A rule names no budget that is known.'
  const subject = subjectOf(scope, request)
  if (subject === undefined) return 'A rule counts what one execution uses, and this call belongs to none.'
  const amount = amountOf(unit, request)
  if (amount === undefined)
    return `A rule counts ${wordOf(unit)}, and nobody knows how many ${resourceOf(request)} can use.`
  const reason = reasonOf(policies)(fired)
  const { rule } = reason
  const windowSeconds = durationSeconds(annotations.budget_window ?? '')
  const key = [reason.policyId, rule, scope, unit, windowSeconds ?? 'endless'].join('/')
  return { rule, reason, key, subject, scope, windowSeconds, unit, limit, amount }
}

const wordOf = (unit: BudgetUnit): string => (unit === 'calls' || unit === 'tokens' ? unit : `${unit} spent`)

/** What a budget counts for. Undefined for a budget per execution when the call does not belong to an execution. */
function subjectOf(scope: BudgetScope, { agent, environment, executionId }: GovernedRequest): string | undefined {
  switch (scope) {
    case 'execution':
      return executionId
    case 'agent':
      return `${agent.id}/${environment}`
    case 'environment':
      return environment
    case 'tenant':
      return 'all'
  }
}

/** The most a call can use: one call; tokens and cost are known for model calls only. */
function amountOf(unit: BudgetUnit, request: GovernedRequest): string | undefined {
  if (unit === 'calls') return '1'
  const most = 'model' in request ? request.most : undefined
  if (unit === 'tokens') return most === undefined ? undefined : String(most.tokens)
  return most?.cost?.currency === unit ? most.cost.amount : undefined
}

/** The window that contains a point in time. A window without an end starts at the epoch. */
export type Window = { startsAt: Date; endsAt: Date | undefined }

/** Windows begin at multiples of their length since 1970-01-01T00:00Z: hours at full hours, days at midnight UTC. */
export function windowAt(at: Date, seconds: number | undefined): Window {
  if (seconds === undefined) return { startsAt: new Date(0), endsAt: undefined }
  const ms = seconds * 1000
  const startsAt = Math.floor(at.getTime() / ms) * ms
  return { startsAt: new Date(startsAt), endsAt: new Date(startsAt + ms) }
}

/** The state of a budget at a decision, as recorded with it. `used` excludes this call. */
export const BudgetState = z.object({
  key: z.string(),
  subject: z.string(),
  held: z.boolean(),
  used: z.string(),
  endsAt: z.string().nullable(),
})
export type BudgetState = z.infer<typeof BudgetState>

/** A rule in two bound versions is one budget with the lower limit. Sorted in lock order. */
export function distinctBudgets(budgets: readonly BudgetObligation[]): BudgetObligation[] {
  const found = new Map<string, BudgetObligation>()
  for (const budget of budgets) {
    const known = found.get(budget.key)
    if (known === undefined || micros(budget.limit) < micros(known.limit)) found.set(budget.key, budget)
  }
  return [...found.values()].sort((a, b) => byOrder(lockOrder(a), lockOrder(b)))
}

type Place = { key: string; subject: string; startsAt?: Date }
/** Windows are always locked in this order, which rules out deadlocks. */
export const lockOrder = ({ key, subject, startsAt }: Place): string =>
  [key, subject, startsAt?.toISOString() ?? ''].join('\n')
export const byOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Why a budget does not cover the call; recorded like every reason (`denied`). */
export function exhausted({ rule, reason, unit, limit, amount }: BudgetObligation, { used, endsAt }: BudgetState) {
  const more = unit === 'calls' ? '' : `, and this call can need ${decimal(micros(amount))}`
  const reset = endsAt === null ? 'It does not begin anew.' : `It begins anew at ${endsAt}.`
  return `The budget “${rule}” of the policy ${reason.policyName} (version ${reason.policyVersion}) is used up: ${used} of ${limit} ${unit}${more}. ${reset}`
}
