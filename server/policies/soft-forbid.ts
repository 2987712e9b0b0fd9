import { isObligationKind } from './annotations.ts'
import type { Evaluation, PolicyText, RuleFacts } from './engine.ts'

/** A policy that takes part in a decision. `version` is 0 for the rules that a manifest's requireApproval stands for. */
export type DecidingPolicy = PolicyText & { policyId: string; name: string; version: number }

/** A rule that fired, in the policy that it stands in. */
export type Fired = { policy: DecidingPolicy; rule: RuleFacts }

export type Settlement =
  /** `obligations`: the soft forbids that stood in the way and that no grant lifts yet. */
  | { effect: 'allow'; permits: Fired[]; obligations: Fired[] }
  | { effect: 'deny'; because: 'forbidden' | 'policy_error'; rules: Fired[] }
  | { effect: 'deny'; because: 'no_permit' | 'request_invalid' }

/**
 * What lifts a soft forbid, as approvals keep it. It names the text, not the policy: in another version of the policy the
 * same grant lifts nothing. Inside that text the token is `<kind>:<rule>`.
 */
export const tokenOf = ({ policy, rule }: Fired): string =>
  `${rule.annotations.obligation}:${policy.digest}/${rule.annotations.id}`

const ownToken = ({ annotations }: RuleFacts): string => `${annotations.obligation}:${annotations.id}`

/** The grants that are for `policy`, in the words of its own text. */
function grantsFor(policy: DecidingPolicy, grants: readonly string[]): Set<string> {
  const own = new Set<string>()
  for (const grant of grants) {
    const [kind, ...rest] = grant.split(`:${policy.digest}/`)
    if (kind !== undefined && rest.length === 1) own.add(`${kind}:${rest[0]}`)
  }
  return own
}

/**
 * The third outcome. Every policy is evaluated; while only soft forbids stand in the way, they are noted, counted as
 * fulfilled, and all is evaluated again. So a hard forbid beats an approval, nothing is asked for that would be denied
 * afterwards, and each rule can demand its own approval. Ends, because each round fulfils at least one rule more.
 */
export async function settle(
  policies: readonly DecidingPolicy[],
  grants: readonly string[],
  evaluate: (fulfilled: string[][]) => Promise<Evaluation[]>,
): Promise<Settlement> {
  const fulfilled = policies.map((policy) => grantsFor(policy, grants))
  const obligations: Fired[] = []
  for (;;) {
    const answers = (await evaluate(fulfilled.map((tokens) => [...tokens]))).flatMap((evaluation, index) => {
      const policy = policies[index]
      return policy === undefined ? [] : [{ policy, evaluation, tokens: fulfilled[index] }]
    })
    const failure = failureIn(answers)
    if (failure !== undefined) return failure
    const fired = (decision: 'allow' | 'deny') =>
      answers.flatMap(({ policy, evaluation, tokens }) =>
        evaluation.outcome === 'decided' && evaluation.decision === decision
          ? evaluation.determining.map((rule) => ({ policy, rule, tokens }))
          : [],
      )
    const forbids = fired('deny')
    const permits = fired('allow')
    if (forbids.length === 0)
      return permits.length === 0
        ? { effect: 'deny', because: 'no_permit' }
        : { effect: 'allow', permits: permits.map(bare), obligations }
    // A soft forbid that still fires although it is fulfilled is not lifted by its token: it is a hard one.
    const hard = forbids.filter(
      ({ rule, tokens }) =>
        rule.annotations.id === undefined ||
        !isObligationKind(rule.annotations.obligation ?? '') ||
        tokens === undefined ||
        tokens.has(ownToken(rule)),
    )
    if (hard.length > 0) return { effect: 'deny', because: 'forbidden', rules: hard.map(bare) }
    for (const { policy, rule, tokens } of forbids) {
      tokens?.add(ownToken(rule))
      obligations.push({ policy, rule })
    }
  }
}

const bare = ({ policy, rule }: Fired): Fired => ({ policy, rule })

/** Cedar skips a rule that fails, and a forbid skipped is a permit: any failure denies. */
function failureIn(answers: readonly { policy: DecidingPolicy; evaluation: Evaluation }[]): Settlement | undefined {
  if (answers.some(({ evaluation }) => evaluation.outcome === 'invalid_request'))
    return { effect: 'deny', because: 'request_invalid' }
  const rules = answers.flatMap(({ policy, evaluation }) =>
    evaluation.outcome === 'decided' ? evaluation.erring.map((rule) => ({ policy, rule })) : [],
  )
  const unusable = answers.some(({ evaluation }) => evaluation.outcome === 'unusable_policy')
  return rules.length > 0 || unusable ? { effect: 'deny', because: 'policy_error', rules } : undefined
}
