import * as t from '#components/texts/policies/en.ts'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { DecisionReason } from '#lib/schemas/policies.ts'

export type Effect = 'allow' | 'deny' | 'require_approval'

export const EFFECT_WORDS: Record<Effect, string> = {
  allow: t.allowed,
  deny: t.denied,
  require_approval: t.requiresApproval,
}
const SHAPES: Record<Effect, Status> = { allow: 'approved', deny: 'revoked', require_approval: 'waiting' }

/** The effect of a decision as shape and word. */
export const EffectShape = ({ effect }: { effect: Effect }) => (
  <StatusShape status={SHAPES[effect]} label={EFFECT_WORDS[effect]} />
)

/** The rules that determined a decision, each with its message, policy and version. */
export function Reasons({ reasons }: { reasons: DecisionReason[] }) {
  if (reasons.length === 0) return <span className="text-ink-2">{t.noRuleApplied}</span>
  return (
    <ul className="flex flex-col gap-1">
      {reasons.map(({ policyId, policyName, policyVersion, rule, code, message }) => (
        <li key={`${policyId} ${policyVersion} ${rule}`} className="wrap-anywhere">
          <ShownText>{message ?? (policyVersion > 0 ? t.rule({ rule }) : (code ?? rule))}</ShownText>
          {policyVersion > 0 && (
            <span className="block text-dense text-ink-2">
              <ShownText>
                {t.ruleOfVersion({ policyName, policyVersion, rule, bare: String(message === null) })}
              </ShownText>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
