import { text } from '#components/language/text.ts'

// Dialogs and fields that many forms have.

export const notNow = text('Not now')
export const close = text('Close')
export const reason = text('Reason')
export const reasonHint = text('Required. Stored in the audit record.')
export const reasonMissing = text('Enter a reason.')
export const reasonTooLong = text('A reason can have at most {limit} characters.')
export const noLongerPossible = text('This is no longer possible.')
export const notChanged = text('The change was not made.')
export const unknownChange = text('It is unknown whether the change was made.')
export const sendAgain = text('Send it again: it takes effect at most once. Or close this dialog and check the list.')
export const startAgain = text('Close this dialog, review what changed, and start again.')
export const nothingChanged = text('{problem} Nothing was changed.')
export const unknownDone = text('It is unknown whether it was done.')
export const checkState = text('Check the state on the page before you try again.')
export const reviewState = text('The page shows the current state. Review it, then try again.')
export const currentState = text('The page shows the current state.')
export const openPending = text('Open the pending request')
export const openRequest = text('Open the request')
export const firstDay = text('First day (UTC)')
export const lastDay = text('Last day (UTC)')
export const enterFirstDay = text('Enter the first day.')
export const enterLastDay = text('Enter the last day.')
export const lastBeforeFirst = text('Choose a last day that is not before the first day.')
export const nameMissing = text(
  '{of, select, environment {Enter the name of the environment.} group {Enter the name of the group.} other {Enter the name of the policy.}}',
)
export const nameTooLong = text('A name can have at most {limit} characters.')
export const nameFormat = text('Use lower-case letters, digits and hyphens. Start with a letter or digit.')
export const approversDecide = text('The change approvers decide on it.')
export const proposing = text('Proposing…')
export const proposed = text('Proposed. {decides} <link>Open the request</link>')
export const notProposed = text('It was not proposed.')
export const proposedUnknown = text('Close this dialog and check the list before you propose it again.')
export const waitsForApproval = text(
  '{what} It takes effect once a change approver other than you has approved it. <link>Open the request</link>',
)
