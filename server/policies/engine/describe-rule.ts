import type { Rule } from './rule.ts'
import type { RuleFacts } from './terms.ts'

/** A rule as readers see it: with its effect, and the name of the only agent to which it can apply. */
export type DescribedRule = RuleFacts & { effect: 'permit' | 'forbid'; onlyAgent: string | undefined }

export function describeRule({ facts, effect, scope: { principal } }: Rule): DescribedRule {
  if (principal.op !== '==' || !('entity' in principal)) return { ...facts, effect, onlyAgent: undefined }
  const uid = principal.entity
  return { ...facts, effect, onlyAgent: ('__entity' in uid ? uid.__entity : uid).id }
}
