import { text } from '#components/language/text.ts'

// When the sign-in page of an organisation can’t be opened.

export const signIn = text('Sign in')
export const tryOrChoose = text('Try again, or choose another organisation.')
export const chooseOrganisation = text('Choose an organisation')
export const organisationUnknown = text('No organisation with this name was found.')
export const otherIssuer = text(
  'The identity provider describes itself under another address. Ask your operator to check AUTH_URL.',
)
