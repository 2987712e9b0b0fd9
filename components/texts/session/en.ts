import { text } from '#components/language/text.ts'

// Before a page can be shown, and in its place when it can’t be loaded.

export const loading = text('Loading…')
export const signingOut = text('Signing you out…')
export const openingSignIn = text('Opening the sign-in page…')
export const providerUnreachable = text('The identity provider can’t be reached.')
export const pageNotLoaded = text('The page could not be loaded.')
export const checkConnection = text('Check the connection, then try again.')
export const noSession = text('This browser can’t keep a session here.')
export const needsStorage = text(
  'Signing in requires an https address (or localhost) and site storage. Some browsers block storage in private windows.',
)
export const accountNotLoaded = text('Your account could not be loaded. {problem}')
export const cantStart = text('The console can’t start')
export const nothingChanged = text('Nothing was changed.')
export const tryAgain = text('Try again')
export const otherOrganisation = text('The identity provider answered for another organisation.')
export const otherApplication = text('The identity provider answered for another application.')
export const notSignedIn = text('You are no longer signed in.')
export const alreadyCompleted = text('This sign-in was already completed, or was started in another browser.')
export const signInRefused = text('The identity provider refused the sign-in.')
export const notFound = text('{plural, select, true {{what} can’t be found.} other {{what} can’t be found.}}')
export const notFoundAbout = text('It doesn’t exist, or it belongs to another organisation.')
export const notLoaded = text(
  '{plural, select, true {{what} could not be loaded.} other {{what} could not be loaded.}}',
)
export const problemNothingChanged = text('{problem} Nothing was changed.')
export const signInAgain = text('Sign in again')
export const loadThem = text('Load them again')
export const loadIt = text('Load it again')
export const pageOutOfDate = text('The server did not accept the request of this page: its address may be out of date.')
export const onlyPeopleAssigned = text(
  'Only {people} can. A tenant administrator assigns {count, plural, one {this role} other {these roles}}.',
)
export const adviceSignIn = text('Sign in again.')
export const advicePasskey = text('Confirm again. Your settings show which passkeys you have.')
export const adviceMoment = text('Try again in a moment.')
export const adviceSeconds = text('Try again in {seconds} s.')
export const adviceRetry = text('Try again. If the problem persists, give support the request ID.')
export const adviceSupport = text('Trying again won’t help. Give support the request ID.')
