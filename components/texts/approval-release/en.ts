import { text } from '#components/language/text.ts'

// The policies of a release, on its request.

export const seeReleases = text('see releases')
export const loadingReleasesPolicies = text('Loading the release’s policies…')
export const theRelease = text('The release')
export const releaseHasEndedSo = text('The release has ended, so the policies in force no longer apply to it.')
export const policiesInForceAre = text(
  'The policies in force are still the ones that the release was proposed with. The arguments above list their versions.',
)
export const policiesHaveChangedSince = text(
  'The policies have changed since the release was proposed. Each call is decided by the policies in force when it is made, not by those that the release was proposed with.',
)
export const versionIn = text('{version} in {environment}')
export const inForceNow = text('Enforced on it there now: <shown>{policies}</shown>.')
export const noneInForceNow = text('Now, no policy is enforced on it there, so executions cannot start.')
