import { text } from '#components/language/text.ts'

// In place of a page of an organisation to which the person lacks access.

export const denied = text('Tenant access denied')
export const deniedAbout = text(
  'You are signed in as <strong>{name}</strong> of {organisation}. That account is not a member of <code>{tenant}</code>, or the tenant does not exist. None of its data was shown.',
)
export const lost = text('Your access to {organisation} has ended')
export const lostAbout = text(
  'Your membership was suspended or removed just now, so the organisation’s data is no longer shown. Everything that you had sent was recorded; unsent text was not. An administrator of {organisation} can tell you more.',
)
export const goToOwn = text('Go to your own organisation')
export const signInToOther = text('Sign in to another organisation')
