import type { DecisionReason, Obligation } from '#lib/schemas/policies.ts'
import { WorkerFailure } from '#server/kernel/threads/worker.ts'
import { type BudgetObligation, budgetOf } from '#server/policies/budgets/budget.ts'
import { settleIn } from '#server/policies/engine/engine.ts'
import type { Fired, Settlement } from '#server/policies/engine/soft-forbid.ts'
import type { ObligationKind } from '#server/policies/language/annotations.ts'
import type { DecidingPolicy, DecidingSet } from './deciding-set.ts'
import { approvalsOf, type MaskObligation, maskOf, type NeededApproval, reasonOf } from './obligations.ts'
import { cedarRequest, type GovernedRequest, misfitToShow } from './request.ts'

export type Outcome = {
  effect: 'allow' | 'deny' | 'require_approval'
  /** All obligations, as recorded. */
  obligations: Obligation[]
  /** Never empty. The first is the one to display: the determining rule, or the decision point's own message. */
  reasons: DecisionReason[]
  /** With `require_approval`: the first approval to request. */
  approval?: NeededApproval
  /** With `allow`: applied in this order to the outgoing arguments. */
  masks: MaskObligation[]
  /** Unless denied: the budgets to reserve before the call. */
  budgets: BudgetObligation[]
  /** The policies with a rule that can match. The others make no difference and are not recorded. */
  asked: readonly DecidingPolicy[]
}
/** The outcome of the rules, before the matching policies are known. */
type Verdict = Omit<Outcome, 'asked'>

/** Deterministic: the same set, request and time give the same outcome, so a recorded decision can be recomputed. */
export async function evaluateRequest(
  set: DecidingSet,
  request: GovernedRequest,
  now: Date,
  honours: readonly ObligationKind[],
): Promise<Outcome> {
  const cedar = cedarRequest(request, now)
  const question = {
    set: { key: set.key },
    request: cedar.request,
    grants: request.fulfilled,
    misfit: cedar.misfit !== undefined,
  }
  try {
    const settled = await settleIn(set.tenantId, question, () => set.readTexts())
    const verdict =
      settled.effect === 'allow'
        ? shown(allowed(set.policies, settled, request, honours), request)
        : refused(set.policies, settled, cedar.misfit)
    return { ...verdict, asked: settled.policies?.flatMap((place) => set.policies[place] ?? []) ?? set.policies }
  } catch (error) {
    if (!(error instanceof WorkerFailure)) throw error
    return { ...denied('pdp_unavailable', 'The policy engine gave no answer.'), asked: set.policies }
  }
}

function refused(
  policies: readonly DecidingPolicy[],
  settled: Extract<Settlement, { effect: 'deny' }>,
  misfit: string | undefined,
): Verdict {
  switch (settled.because) {
    case 'forbidden':
      return { ...nothing, effect: 'deny', reasons: settled.rules.map(reasonOf(policies)) }
    case 'policy_error':
      return denied('policy_error', 'A rule failed while it was evaluated.', settled.rules.map(reasonOf(policies)))
    case 'no_permit':
      return denied('no_permit', 'No rule of the bound policies permits this call.')
    case 'request_invalid':
      return denied('request_invalid', 'The call does not fit the policy schema.')
    case 'arguments_misfit':
      return misfitting(misfit)
  }
}

/** People are not asked about a call that its tool can only refuse. */
function shown(verdict: Verdict, request: GovernedRequest): Verdict {
  const misfit = verdict.effect === 'require_approval' ? misfitToShow(request) : undefined
  return misfit === undefined ? verdict : misfitting(misfit)
}

const misfitting = (misfit: string | undefined): Verdict =>
  denied('arguments_invalid', `The arguments do not fit what the tool declares: ${misfit}.`)

const nothing = { obligations: [], masks: [], budgets: [] }

/**
 * A denial by the decision point itself, followed by the rules involved. Its message is recorded, and recomputing compares it
 * byte for byte: changing the wording makes earlier decisions differ.
 */
export const denied = (code: string, message: string, rules: readonly DecisionReason[] = []): Verdict => ({
  ...nothing,
  effect: 'deny',
  reasons: [
    {
      policyId: 'countersign',
      policyName: 'decision point',
      policyVersion: 0,
      rule: code,
      code,
      message,
      source: null,
    },
    ...rules,
  ],
})

function allowed(
  policies: readonly DecidingPolicy[],
  settled: { permits: Fired[]; obligations: Fired[] },
  request: GovernedRequest,
  honours: readonly ObligationKind[],
): Verdict {
  const of = (kind: ObligationKind) => settled.obligations.filter(({ rule }) => rule.annotations.obligation === kind)
  const masks = of('mask').map((fired) => maskOf(fired, request))
  const budgets = of('budget').map((fired) => budgetOf(policies, fired, request))
  const unsupported = settled.obligations.filter(
    ({ rule }) => !honours.some((kind) => kind === rule.annotations.obligation),
  )
  const incomplete = [
    ...of('mask').filter((_, index) => masks[index] === undefined),
    ...of('budget').filter((_, index) => typeof budgets[index] === 'string'),
  ]
  const impossible = [...unsupported, ...incomplete]
  if (impossible.length > 0) {
    const budget = unsupported.some(({ rule }) => rule.annotations.obligation === 'budget')
    return denied(
      'obligation_unsupported',
      budget
        ? 'A rule demands a budget, and nothing can be reserved for this call.'
        : (budgets.find((why) => typeof why === 'string') ?? 'A rule demands what cannot be done here.'),
      impossible.map(reasonOf(policies)),
    )
  }

  const approvals = approvalsOf(policies, of('approval'), request)
  const known = {
    masks: masks.flatMap((mask) => mask ?? []),
    budgets: budgets.filter((budget) => typeof budget !== 'string'),
  }
  const obligations = [
    ...(approvals?.obligations ?? []),
    ...known.masks.map(({ rule, paths, method }) => ({
      kind: 'mask',
      policyRule: rule,
      parameters: { paths: paths.join(','), method },
    })),
    ...known.budgets.map(({ rule, key, scope, windowSeconds, unit, limit, amount }) => ({
      kind: 'budget',
      policyRule: rule,
      parameters: {
        key,
        scope,
        unit,
        limit,
        amount,
        ...(windowSeconds === undefined ? {} : { windowSeconds: String(windowSeconds) }),
      },
    })),
  ]
  const others = [...of('mask'), ...of('budget')].map(reasonOf(policies))
  if (approvals === undefined)
    return {
      effect: 'allow',
      obligations,
      reasons: [...settled.permits.map(reasonOf(policies)), ...others],
      ...known,
    }
  const { reasons, approval } = approvals
  return { effect: 'require_approval', obligations, reasons: [...reasons, ...others], approval, ...known }
}
