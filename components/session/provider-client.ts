import { DPoPState, ErrorResponse, type StateStore, UserManager, type UserManagerSettings } from 'oidc-client-ts'
import { authCallbackPath } from '#lib/paths.ts'
import { consoleClientId, offersProofs, type Realm, realmUrl } from './realm.ts'
import { userPrefix } from './renewal.ts'
import type { Vault } from './vault.ts'

export { ErrorResponse }

/**
 * oidc-client-ts for one realm: code + PKCE, stores everything in the vault, and does not use timers. It is loaded for a sign-in
 * only; renewal.ts does what a session needs afterwards.
 */
export function providerClient({ slug, metadata }: Realm, vault: Vault): UserManager {
  const { origin } = window.location
  return new UserManager({
    authority: realmUrl(slug),
    metadata,
    client_id: consoleClientId,
    redirect_uri: `${origin}${authCallbackPath()}`,
    response_type: 'code',
    scope: 'openid profile email',
    loadUserInfo: false,
    monitorSession: false,
    automaticSilentRenew: false,
    // Codes, access tokens and refresh tokens are useless without the key.
    ...(offersProofs(metadata) ? { dpop: { store: proofStore(vault), bind_authorization_code: true } } : {}),
    stateStore: inVault(vault, 'state.', (text) => text),
    userStore: inVault(vault, userPrefix, withoutAccessToken),
  })
}

/** The access token is kept only in memory. */
function withoutAccessToken(user: string): string {
  const fields: unknown = JSON.parse(user)
  if (typeof fields !== 'object' || fields === null) throw new Error('oidc-client-ts stores a user as an object.')
  return JSON.stringify({ ...fields, access_token: '' })
}

function inVault(vault: Vault, prefix: string, change: (text: string) => string): StateStore {
  const get = async (key: string) => (await vault.get(prefix + key)) ?? null
  return {
    get,
    set: (key, text) => vault.set(prefix + key, change(text)),
    async remove(key) {
      const text = await get(key)
      await vault.remove(prefix + key)
      return text
    },
    getAllKeys: async () => (await vault.names(prefix)).map((name) => name.slice(prefix.length)),
  }
}

/** Always returns the vault's key; keeps the provider's nonce only for this exchange. */
function proofStore(vault: Vault): NonNullable<UserManagerSettings['dpop']>['store'] {
  let nonce: string | undefined
  const get = async () => new DPoPState(await vault.proofKeys(), nonce)
  return {
    get,
    async set(_key, state) {
      nonce = state.nonce
    },
    // The key is removed with the vault at sign-out, because other tabs still need it.
    remove: get,
    getAllKeys: async () => [consoleClientId],
  }
}
