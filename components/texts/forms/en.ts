import { text } from '#components/language/text.ts'

// Dialogs and fields that many forms have.

export const notNow = text('Not now')
export const reason = text('Reason')
export const reasonHint = text('Required. Stored in the audit record.')
export const reasonMissing = text('Enter a reason.')
export const reasonTooLong = text('A reason can have at most {limit} characters.')
export const justificationHint = text('{min} to {max} characters.')
export const justificationRule = text(
  'A justification must have {min} to {max} characters, at least {min} of them visible and {different} different.',
)
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
export const loadingForm = text('Loading the form…')
export const draftRestored = text('You were on this page before. What you typed is still here.')
export const startOver = text('Start over')
export const beingSent = text('It is being sent.')
export const openRequest = text('Open the request')
