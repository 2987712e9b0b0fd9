import type { ReactNode } from 'react'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import type { Approval, Decision } from '#lib/schemas/approvals.ts'

/** The choice, the button and the record use the same verb. */
export const VERBS: Record<Decision, string> = { approve: t.approve, reject: t.reject, escalate: t.escalate }
export const DECIDED: Record<Decision, string> = { approve: t.approved, reject: t.rejected, escalate: t.escalated }

/** "Approve refund of €4,200.00", for the button. The effect contains the name of a tool, which a stranger wrote. */
export const actOf = (decision: Decision, { presentation }: Approval): ReactNode => (
  <span>{t.act({ decision, effect: presentation.effectLabel, shown: shownText })}</span>
)

/** What happens on approval, as a line of the choice. */
export const consequenceOfApproval = ({ presentation, repeats }: Approval): ReactNode =>
  t.goesAhead({ effect: presentation.effectLabel, shown: shownText, again: String(repeats?.approved != null) })

/** Returns the statement that a person confirms before sending. It names the effect. */
export function acknowledgement(decision: Decision, { presentation, repeats }: Approval): ReactNode {
  const about = { effect: presentation.effectLabel, shown: shownText, again: String(repeats?.approved != null) }
  if (decision === 'approve' && !presentation.reversible) return t.iHaveReadEffects(about)
  return decision === 'approve' ? t.iApprove(about) : t.iDecide({ decision, ...about })
}
