import {
  DPoPState,
  OidcClient,
  type OidcClientSettings,
  type OidcMetadata,
  type StateStore,
  User,
} from 'oidc-client-ts'
import { thumbprint } from '#lib/dpop.ts'
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

export type SignInRequest = {
  /** Kept during the redirect. */
  state: unknown
  /** Binds the id_token to this sign-in (OpenID Connect Core, 3.1.2.1). */
  nonce: string
  username: string | undefined
  /** Replaces the current page in the history. */
  replace: boolean
}

/** The console as a client of one realm: code + PKCE, with everything that it stores in the vault. */
export type ProviderClient = {
  /** The person that this browser is signed in as, without an access token. */
  stored(): Promise<User | undefined>
  /** Opens the provider's sign-in page. Resolves if the browser shows this page again as it was left. */
  signIn(request: SignInRequest): Promise<void>
  /** Redeems the code in the provider's redirect to `address`, and stores the person. */
  complete(address: string): Promise<User>
  /** Redeems the person's refresh token, and stores the next one. */
  renew(person: User, refreshToken: string): Promise<User>
  remove(): Promise<void>
  /** Ends the refresh token at the provider. Access tokens are JWTs, which can't be revoked; they expire. */
  revoke(person: User): Promise<void>
  /** Opens the provider's page that ends its session. */
  signOut(idToken: string | undefined): Promise<void>
}

/**
 * The protocol is oidc-client-ts. Its UserManager is left out: it also has pop-ups, frames and timers, a third of the
 * library, and its renewal does not lock across tabs (session.ts).
 */
export function providerClient({ slug, metadata }: Realm, vault: Vault): ProviderClient {
  const { origin } = window.location
  const authority = realmUrl(slug)
  const bindsTokens = offersProofs(metadata)
  const client = new OidcClient({
    authority,
    metadata,
    client_id: consoleClientId,
    redirect_uri: `${origin}${authCallbackPath()}`,
    post_logout_redirect_uri: `${origin}${signedOutPath()}`,
    response_type: 'code',
    scope: 'openid profile email',
    loadUserInfo: false,
    // Codes, access tokens and refresh tokens are useless without the key.
    ...(bindsTokens ? { dpop: { store: proofStore(vault) } } : {}),
    stateStore: inVault(vault, 'state.'),
  })
  // The name under which UserManager stored it, which earlier versions of the console used.
  const name = `user.user:${authority}:${consoleClientId}`
  const store = async (person: User): Promise<User> => {
    await vault.set(name, withoutAccessToken(person))
    return person
  }
  return {
    async stored() {
      const text = await vault.get(name)
      return text === undefined ? undefined : User.fromStorageString(text)
    },
    async signIn({ state, nonce, username, replace }) {
      const { url } = await client.createSigninRequest({
        request_type: 'si:r',
        state,
        nonce,
        ...(username === undefined ? {} : { login_hint: username }),
        ...(bindsTokens ? { dpopJkt: await thumbprint(await vault.proofKeys()) } : {}),
      })
      await leaveFor(url, replace)
    },
    complete: async (address) => await store(new User(await client.processSigninResponse(address))),
    async renew({ id_token, session_state, scope, profile }, refreshToken) {
      const state = {
        refresh_token: refreshToken,
        session_state,
        profile,
        ...(id_token === undefined ? {} : { id_token }),
        ...(scope === undefined ? {} : { scope }),
      }
      // The provider may have used the token of a renewal that is given up. Until 30 s after that it answers again, and the next
      // attempt comes before (session.ts). Without a limit, one lost answer would hold the lock of all tabs.
      // biome-ignore lint/correctness/useHookAtTopLevel: a method of the library, not a hook of React.
      const response = await client.useRefreshToken({ state, timeoutInSeconds: 15 })
      return await store(new User({ ...state, ...response }))
    },
    remove: () => vault.remove(name),
    async revoke({ refresh_token }) {
      if (refresh_token !== undefined) await client.revokeToken(refresh_token, 'refresh_token')
    },
    async signOut(idToken) {
      const { url } = await client.createSignoutRequest(idToken === undefined ? {} : { id_token_hint: idToken })
      await leaveFor(url, false)
    },
  }
}

const leaveFor = (url: string, replace: boolean): Promise<void> =>
  new Promise((resolve) => {
    window.addEventListener('pageshow', ({ persisted }) => persisted && resolve())
    if (replace) window.location.replace(url)
    else window.location.assign(url)
  })

/** The access token is kept only in memory. */
const withoutAccessToken = (person: User): string =>
  JSON.stringify({ ...JSON.parse(person.toStorageString()), access_token: '' })

function inVault(vault: Vault, prefix: string): StateStore {
  const get = async (key: string) => (await vault.get(prefix + key)) ?? null
  return {
    get,
    set: (key, text) => vault.set(prefix + key, text),
    async remove(key) {
      const text = await get(key)
      await vault.remove(prefix + key)
      return text
    },
    getAllKeys: async () => (await vault.names(prefix)).map((name) => name.slice(prefix.length)),
  }
}

/** Always returns the vault's key; keeps the provider's nonce only for this exchange. */
function proofStore(vault: Vault): NonNullable<OidcClientSettings['dpop']>['store'] {
  let nonce: string | undefined
  const get = async () => new DPoPState(await vault.proofKeys(), nonce)
  return {
    get,
    async set(_key, state) {
      nonce = state.nonce
    },
    // Not called by OidcClient. The key is removed with the vault at sign-out, because other tabs still need it.
    remove: get,
    getAllKeys: async () => [consoleClientId],
  }
}
