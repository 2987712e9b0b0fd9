import { text } from '#components/language/text.ts'

// Mails about a request, for operators.

export const seeApprovals = text('see approvals')
export const loading = text('Loading…')
export const theMails = text('The mails')
export const noOneRequestIs = text('No one. The request is in the inbox of everyone who can decide it.')
export const notifyAgain = text('Notify {name} again')
export const notifyingAgain = text('Notifying {name} again…')
export const dontSend = text('Don’t send')
export const sendMailToAgain = text('Send the mail to {name} again?')
export const itIsUnknownWhether = text(
  'It is unknown whether the first mail arrived, so it may arrive twice. A second mail has no effect on the request.',
)
export const firstMailWasNot = text('The first mail was not delivered, so it will not arrive twice.')
export const sendingAgain = text('Sending again…')
export const mailWasNotSent = text('The mail was not sent again.')
