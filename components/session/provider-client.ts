import { DPoPState, type OidcMetadata, type StateStore, UserManager, type UserManagerSettings } from 'oidc-client-ts'
import { authCallbackPath, signedOutPath } from '#lib/paths.ts'
import { runtimeConfig } from './runtime.ts'
import type { Vault } from './vault.ts'

/** An organisation's realm at the identity provider, with its endpoints as it published them. */
export type Realm = { slug: string; metadata: Partial<OidcMetadata> }

/** Why signing in to an organisation is currently impossible. */
export type RealmProblem = 'unknown-organisation' | 'unreachable' | 'other-issuer'

export const consoleClientId = 'countersign-console'

/** The page on which a member changes their password; undefined with another provider, which has its own. */
export const passwordUrl = (slug: string): string | undefined =>
  runtimeConfig().passwords ? `${realmUrl(slug)}/password` : undefined

export const realmUrl = (slug: string) => `${runtimeConfig().authUrl}/realms/${slug}`

/** The format of slugs. No other text is inserted into an address. */
export const isSlug = (text: string) => /^[a-z0-9][a-z0-9-]{0,62}$/.test(text)

/** Requests the realm from the provider (OpenID Connect Discovery 1.0). */
export async function discoverRealm(slug: string): Promise<Realm | RealmProblem> {
  if (!isSlug(slug)) return 'unknown-organisation'
  try {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(`${realmUrl(slug)}/.well-known/openid-configuration`, { signal, credentials: 'omit' })
    if (response.status === 404) return 'unknown-organisation'
    if (!response.ok) return 'unreachable'
    const metadata: Partial<OidcMetadata> = await response.json()
    // Endpoints of another issuer would receive the code and the verifier (Discovery 1.0, section 4.3).
    return metadata.issuer === realmUrl(slug) ? { slug, metadata } : 'other-issuer'
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException || error instanceof SyntaxError)
      return 'unreachable'
    throw error
  }
}

/** Returns whether tokens can be bound to the browser's key, which the provider states in its metadata (RFC 9449, section 5.1). */
function offersProofs(metadata: object): boolean {
  const algorithms: unknown = Reflect.get(metadata, 'dpop_signing_alg_values_supported')
  return Array.isArray(algorithms) && algorithms.includes('ES256')
}

/** oidc-client-ts for one realm: code + PKCE, stores everything in the vault, and does not use timers. */
export function providerClient({ slug, metadata }: Realm, vault: Vault): UserManager {
  const { origin } = window.location
  return new UserManager({
    authority: realmUrl(slug),
    metadata,
    client_id: consoleClientId,
    redirect_uri: `${origin}${authCallbackPath()}`,
    post_logout_redirect_uri: `${origin}${signedOutPath()}`,
    response_type: 'code',
    scope: 'openid profile email',
    loadUserInfo: false,
    monitorSession: false,
    // Its renewal does not lock across tabs, so session.ts renews tokens.
    automaticSilentRenew: false,
    // The provider's access tokens are JWTs, which can't be revoked; they expire.
    revokeTokenTypes: ['refresh_token'],
    silentRequestTimeoutInSeconds: 15,
    // Codes, access tokens and refresh tokens are useless without the key.
    ...(offersProofs(metadata) ? { dpop: { store: proofStore(vault), bind_authorization_code: true } } : {}),
    stateStore: inVault(vault, 'state.', (text) => text),
    userStore: inVault(vault, 'user.', withoutAccessToken),
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
