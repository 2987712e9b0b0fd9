import type { Decision, Presentation } from '#lib/schemas/approvals.ts'

/** The same verb from the choice to the button to the record. */
export const VERBS: Record<Decision, string> = { approve: 'Approve', reject: 'Reject', escalate: 'Escalate' }
export const DECIDED: Record<Decision, string> = { approve: 'Approved', reject: 'Rejected', escalate: 'Escalated' }

/** What a person confirms before sending, naming the effect. */
export function acknowledgement(decision: Decision, { effectLabel, reversible }: Presentation): string {
  switch (decision) {
    case 'approve':
      return reversible
        ? `I have read what happens, and I approve the ${effectLabel}.`
        : `I have read what happens, and that the ${effectLabel} can’t be undone.`
    case 'reject':
      return `I have read what happens, and I reject the ${effectLabel}.`
    case 'escalate':
      return `I have read what happens, and I pass the ${effectLabel} on.`
  }
}
