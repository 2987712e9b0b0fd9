import { ApiError } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'

/**
 * Accounts, passwords and clients are ours to change only where we are the identity provider. Elsewhere a link or a secret
 * of ours would let nobody in. Throws `external_identity`.
 */
export function requireOwnAccounts(what: string): void {
  const { identity, authUrl } = runtime().config
  if (identity === 'external')
    throw new ApiError('external_identity', `The identity provider at ${authUrl} keeps ${what}: change them there.`)
}
