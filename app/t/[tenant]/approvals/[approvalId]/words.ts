import type { Decision, Presentation } from '#lib/schemas/approvals.ts'

/** The choice, the button and the record use the same verb. */
export const VERBS: Record<Decision, string> = { approve: 'Approve', reject: 'Reject', escalate: 'Escalate' }
export const DECIDED: Record<Decision, string> = { approve: 'Approved', reject: 'Rejected', escalate: 'Escalated' }

/** Returns the statement that a person confirms before sending. It names the effect. */
export function acknowledgement(decision: Decision, { effectLabel, reversible }: Presentation): string {
  switch (decision) {
    case 'approve':
      return reversible
        ? `I have read the effects and approve the ${effectLabel}.`
        : `I have read the effects and understand that the ${effectLabel} can’t be undone.`
    case 'reject':
      return `I have read the effects and reject the ${effectLabel}.`
    case 'escalate':
      return `I have read the effects and escalate the ${effectLabel}.`
  }
}
