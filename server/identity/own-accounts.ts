import { ApiError } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'

/**
 * Throws `external_identity` when an external identity provider is configured. Accounts, passwords and clients are
 * managed there; a link or secret from this server would not let anyone sign in.
 */
export function requireOwnAccounts(what: string): void {
  const { identity, authUrl } = runtime().config
  if (identity === 'external')
    throw new ApiError('external_identity', `The identity provider at ${authUrl} manages ${what}. Change them there.`)
}
