import { isObligationKind } from '#server/policies/language/annotations.ts'
import { type Evaluation, type Rule, tokenOf } from './rule.ts'
import type { RuleFacts } from './terms.ts'

/** A rule that fired. `policy` is the place of its policy in the set. */
export type Fired = { policy: number; rule: RuleFacts }

export type Settlement =
  /** `obligations`: the soft forbids that stood in the way and that no grant lifts yet. */
  | { effect: 'allow'; permits: Fired[]; obligations: Fired[] }
  | { effect: 'deny'; because: 'forbidden' | 'policy_error'; rules: Fired[] }
  | { effect: 'deny'; because: 'no_permit' | 'request_invalid' | 'arguments_misfit' }

/**
 * The third outcome. While only soft forbids stand in the way, they are noted, counted as fulfilled, and all is evaluated
 * again. So a hard forbid beats an approval, nothing is asked for that would be denied afterwards, and each rule can demand
 * its own approval. Ends, because each round fulfils at least one rule more.
 */
export function settle(
  grants: readonly string[],
  policiesOf: ReadonlyMap<string, readonly number[]>,
  evaluate: (fulfilled: readonly string[]) => Evaluation,
): Settlement {
  const firedOf = (rules: readonly Rule[]): Fired[] =>
    rules
      .flatMap(({ digest, facts }) => (policiesOf.get(digest) ?? []).map((policy) => ({ policy, rule: facts })))
      .sort((a, b) => a.policy - b.policy || a.rule.order - b.rule.order)
  const fulfilled = new Set(grants)
  const obligations: Rule[] = []
  for (;;) {
    const answer = evaluate([...fulfilled])
    if (answer.outcome === 'invalid_request') return { effect: 'deny', because: 'request_invalid' }
    if (answer.outcome === 'unusable_policy') return { effect: 'deny', because: 'policy_error', rules: [] }
    // Cedar skips a rule that fails, and a forbid skipped is a permit: any failure denies.
    if (answer.erring.length > 0) return { effect: 'deny', because: 'policy_error', rules: firedOf(answer.erring) }
    if (answer.decision === 'allow')
      return {
        effect: 'allow',
        permits: firedOf(answer.determining),
        obligations: obligations.flatMap((rule) => firedOf([rule])),
      }
    if (answer.determining.length === 0) return { effect: 'deny', because: 'no_permit' }
    // A soft forbid that still fires although it is fulfilled is not lifted by its token: it is a hard one.
    const hard = answer.determining.filter(
      ({ digest, facts }) =>
        facts.annotations.id === undefined ||
        !isObligationKind(facts.annotations.obligation ?? '') ||
        fulfilled.has(tokenOf(digest, facts)),
    )
    if (hard.length > 0) return { effect: 'deny', because: 'forbidden', rules: firedOf(hard) }
    for (const rule of answer.determining) {
      fulfilled.add(tokenOf(rule.digest, rule.facts))
      obligations.push(rule)
    }
  }
}
