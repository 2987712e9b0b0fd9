import { isObligationKind } from '#server/policies/language/annotations.ts'
import { type Evaluation, type Rule, tokenOf } from './rule.ts'
import type { RuleFacts } from './terms.ts'

/** A rule that matched. `policy` is the position of its policy in the set. */
export type Fired = { policy: number; rule: RuleFacts }

export type Settlement =
  /** `obligations`: the soft forbids that matched and that no grant lifts yet. */
  | { effect: 'allow'; permits: Fired[]; obligations: Fired[] }
  | { effect: 'deny'; because: 'forbidden' | 'policy_error'; rules: Fired[] }
  | { effect: 'deny'; because: 'no_permit' | 'request_invalid' | 'arguments_misfit' }

/**
 * Derives the third outcome, require_approval, from Cedar's two. While only soft forbids match, they are collected, treated as
 * fulfilled, and the request is evaluated again. This way a hard forbid takes precedence over an approval, no approval is
 * required for a call that would then be denied, and each rule can require its own approval. Terminates because each round
 * fulfils at least one more rule.
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
    // Cedar skips a rule that fails, and a skipped forbid would permit the call, so any failure denies.
    if (answer.erring.length > 0) return { effect: 'deny', because: 'policy_error', rules: firedOf(answer.erring) }
    if (answer.decision === 'allow')
      return {
        effect: 'allow',
        permits: firedOf(answer.determining),
        obligations: obligations.flatMap((rule) => firedOf([rule])),
      }
    if (answer.determining.length === 0) return { effect: 'deny', because: 'no_permit' }
    // A soft forbid that still matches although fulfilled is not lifted by its token, so it is a hard forbid.
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
