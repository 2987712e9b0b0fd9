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

/** What must be reserved before the call; a reservation that fails denies it. Amounts are decimal numbers as text. */
export type BudgetObligation = {
  rule: string
  reason: DecisionReason
  /** One budget for each rule of a policy, in whichever version, scope, unit and window; and whom it counts for. */
  key: string
  subject: string
  scope: BudgetScope
  /** The budget begins anew after as long; undefined: never, or with the next execution. */
  windowSeconds: number | undefined
  unit: BudgetUnit
  limit: string
  /** The most that this call can use. */
  amount: string
}

/** What a rule demands to be reserved; as a sentence, why nothing can be. */
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

/** Whom a budget counts for. Undefined: a call of no execution has no budget of its execution. */
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

/** Only of a model is known what a call can use at most, besides the call itself. */
function amountOf(unit: BudgetUnit, request: GovernedRequest): string | undefined {
  if (unit === 'calls') return '1'
  const most = 'model' in request ? request.most : undefined
  if (unit === 'tokens') return most === undefined ? undefined : String(most.tokens)
  return most?.cost?.currency === unit ? most.cost.amount : undefined
}

/** A window that a moment falls into. One without end began with the epoch. */
export type Window = { startsAt: Date; endsAt: Date | undefined }

/** Windows begin at multiples of their length since 1970-01-01T00:00Z: hours at full hours, days at midnight UTC. */
export function windowAt(at: Date, seconds: number | undefined): Window {
  if (seconds === undefined) return { startsAt: new Date(0), endsAt: undefined }
  const ms = seconds * 1000
  const startsAt = Math.floor(at.getTime() / ms) * ms
  return { startsAt: new Date(startsAt), endsAt: new Date(startsAt + ms) }
}

/** How a budget stood when it was asked, as it is recorded with the decision. `used` is without this call. */
export const BudgetState = z.object({
  key: z.string(),
  subject: z.string(),
  held: z.boolean(),
  used: z.string(),
  endsAt: z.string().nullable(),
})
export type BudgetState = z.infer<typeof BudgetState>

/** The same rule can stand in two bound versions: it is one budget, and the lower limit holds. In the order of locks. */
export function distinctBudgets(budgets: readonly BudgetObligation[]): BudgetObligation[] {
  const found = new Map<string, BudgetObligation>()
  for (const budget of budgets) {
    const known = found.get(budget.key)
    if (known === undefined || micros(budget.limit) < micros(known.limit)) found.set(budget.key, budget)
  }
  return [...found.values()].sort((a, b) => byOrder(lockOrder(a), lockOrder(b)))
}

type Place = { key: string; subject: string; startsAt?: Date }
/** Windows are locked in this order everywhere, so that nobody waits for each other. */
export const lockOrder = ({ key, subject, startsAt }: Place): string =>
  [key, subject, startsAt?.toISOString() ?? ''].join('\n')
export const byOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Why a budget does not hold the call, for people. */
export function exhausted({ rule, reason, unit, limit, amount }: BudgetObligation, { used, endsAt }: BudgetState) {
  const more = unit === 'calls' ? '' : `, and this call can need ${decimal(micros(amount))}`
  const anew = endsAt === null ? 'It does not begin anew.' : `It begins anew at ${endsAt}.`
  return `The budget “${rule}” of the policy ${reason.policyName} (version ${reason.policyVersion}) is used up: ${used} of ${limit} ${unit}${more}. ${anew}`
}
