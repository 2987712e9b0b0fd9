import { text } from '#components/language/text.ts'

// Shown at sign-in after someone else reset the account.

export const resetTitle = text('Your password was reset')
export const resetAbout = text(
  'Someone else reset the password of this account. You were signed out everywhere, and the old password stopped working.',
)
export const resetWhen = text('When')
export const resetBy = text('By')
export const resetByOperator = text('The operator of this installation')
export const resetPasskeys = text('Passkeys removed')
export const none = text('None')
export const resetAdvice = text(
  'If you did not ask for this, tell another administrator: anyone who had the link could act as you until you set your password. The audit log lists everything that was done with this account.',
)
export const acknowledging = text('Acknowledging the reset…')
export const acknowledge = text('Acknowledge the reset')
