import type { Approval, Decision } from '#lib/schemas/approvals.ts'

/** The choice, the button and the record use the same verb. */
export const VERBS: Record<Decision, string> = { approve: 'Approve', reject: 'Reject', escalate: 'Escalate' }
export const DECIDED: Record<Decision, string> = { approve: 'Approved', reject: 'Rejected', escalate: 'Escalated' }

/** What happens on approval, as a line of the choice. */
export const consequenceOfApproval = ({ presentation: { effectLabel }, repeats }: Approval): string =>
  repeats?.approved == null
    ? `The ${effectLabel} goes ahead.`
    : `The ${effectLabel} goes ahead, although the same was approved for this object before.`

/** Returns the statement that a person confirms before sending. It names the effect. */
export function acknowledgement(decision: Decision, { presentation, repeats }: Approval): string {
  const { effectLabel, reversible } = presentation
  switch (decision) {
    case 'approve': {
      const known = repeats?.approved == null ? '' : ', and know that the same was approved for this object before'
      return reversible
        ? `I have read the effects and approve the ${effectLabel}${known}.`
        : `I have read the effects and understand that the ${effectLabel} can’t be undone${known}.`
    }
    case 'reject':
      return `I have read the effects and reject the ${effectLabel}.`
    case 'escalate':
      return `I have read the effects and escalate the ${effectLabel}.`
  }
}
