import { text } from '#components/language/text.ts'

// Proposing a change that another person approves.

export const notNow = text('Not now')
export const close = text('Close')
export const approversDecide = text('The change approvers decide on it.')
export const proposing = text('Proposing…')
export const proposed = text('Proposed. {decides} <link>Open the request</link>')
export const notProposed = text('It was not proposed.')
export const proposedUnknown = text('Close this dialog and check the list before you propose it again.')
export const waitsForApproval = text(
  '{what} This takes effect once a change approver other than you has approved it. <link>Open the request</link>',
)
