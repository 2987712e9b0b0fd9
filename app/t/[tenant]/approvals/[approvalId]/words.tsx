import type { ReactNode } from 'react'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Approval, Decision } from '#lib/schemas/approvals.ts'

/** The choice, the button and the record use the same verb. */
export const VERBS: Record<Decision, string> = { approve: 'Approve', reject: 'Reject', escalate: 'Escalate' }
export const DECIDED: Record<Decision, string> = { approve: 'Approved', reject: 'Rejected', escalate: 'Escalated' }

/** The effect in words. It contains the name of a tool, which a stranger wrote. */
const effectOf = ({ presentation }: Approval): ReactNode => <ShownText>{presentation.effectLabel}</ShownText>

/** "Approve refund of €4,200.00", for the button. */
export const actOf = (decision: Decision, shown: Approval): ReactNode => (
  <span>
    {VERBS[decision]} {effectOf(shown)}
  </span>
)

/** What happens on approval, as a line of the choice. */
export const consequenceOfApproval = (shown: Approval): ReactNode => (
  <>
    The {effectOf(shown)} goes ahead
    {shown.repeats?.approved == null ? '.' : ', although the same was approved for this object before.'}
  </>
)

/** Returns the statement that a person confirms before sending. It names the effect. */
export function acknowledgement(decision: Decision, shown: Approval): ReactNode {
  const effect = effectOf(shown)
  const known =
    decision === 'approve' && shown.repeats?.approved != null
      ? ', and know that the same was approved for this object before'
      : ''
  if (decision === 'approve' && !shown.presentation.reversible)
    return (
      <>
        I have read the effects and understand that the {effect} can’t be undone{known}.
      </>
    )
  return (
    <>
      I have read the effects and {decision} the {effect}
      {known}.
    </>
  )
}
