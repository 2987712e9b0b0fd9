import { text } from '#components/language/text.ts'

// Sign-in, and the pages outside any tenant.

export const description = text('Governs what AI agents may do, and records who decided it.')
export const loading = text('Loading…')
export const organisationNotLoaded = text('Your organisation could not be loaded.')
export const nothingChanged = text('{problem} Nothing was changed.')
export const loadAgainOrSignIn = text('Load the page again, or <link>sign in again</link>.')
export const signIn = text('Sign in')
export const signInTitle = text('Sign in to Countersign')
export const receivedArchive = text(
  'Did you receive an evidence archive? <link>Verify an evidence archive</link> without signing in.',
)
export const organisation = text('Mail address or organisation')
export const organisationHint = text(
  'The address that you use at work, or your organisation’s short name, such as acme.',
)
export const openingOrganisation = text('Opening your organisation…')
export const next = text('Continue')
export const ownPage = text('You enter your user name and password on your organisation’s own page.')
export const organisationMissing = text('Enter your mail address or your organisation’s short name.')
export const addressUnknown = text(
  'Your organisation could not be found by this address. Enter the short name that your administrator gave you.',
)
export const organisationUnknown = text(
  'The organisation “{organisation}” was not found. Check the spelling, or ask your administrator.',
)
export const shortNameFormat = text('Use only lower-case letters, digits and hyphens.')
export const providerUnreachable = text('The identity provider can’t be reached. Check the connection, then try again.')
export const unreachableOrUnknown = text(
  'The identity provider can’t be reached, or does not know this organisation. Check the spelling and the connection, then try again.',
)
export const signedOut = text('Signed out')
export const signedOutTitle = text('You are signed out')
export const sessionEnded = text(
  'Your session has ended in this browser and at your organisation. Drafts were removed from this browser.',
)
export const signInAgain = text('Sign in again')
export const signedInAgain = text('You are signed in again')
export const closeWindow = text('The page that you came from continues automatically. You can close this window.')
export const signingIn = text('Signing you in')
export const signingInNow = text('Signing you in…')
export const notCompleted = text('The sign-in was not completed')
export const attemptFailed = text('This attempt did not sign you in. Nothing else was changed.')
export const accessDenied = text('Access denied')
export const notMember = text(
  'You are signed in as {name} ({username}), but this account is not an active member of {organisation}.',
)
export const noDataShown = text('None of its data was shown.')
export const signOutForOther = text(
  'An administrator of {organisation} can add the account, or end its suspension. To use another account, sign out first.',
)
export const signOut = text('Sign out')
export const notFound = text('Page not found')
export const notFoundAbout = text('The address may be mistyped or incomplete. Nothing was changed.')
export const goToStart = text('Go to the start page')
