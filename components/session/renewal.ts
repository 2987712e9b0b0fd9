import { makeProof } from '#lib/dpop.ts'
import { failureOf, RequestError } from '#lib/failure.ts'
import { signedOutPath } from '#lib/paths.ts'
import type { Issued } from './credential.ts'
import { whyNotSamePerson } from './id-token.ts'
import { consoleClientId, offersProofs, type Realm, realmUrl } from './realm.ts'
import type { Vault } from './vault.ts'

/** Claims of an id_token that the console reads. */
export type IdClaims = {
  iss: string
  sub: string
  aud: string | string[]
  iat?: number | undefined
  name?: string | undefined
  preferred_username?: string | undefined
}

/** A signed-in person, as oidc-client-ts stores them. The access token is not stored. */
export type StoredUser = { id_token?: string; refresh_token?: string; token_type: string; profile: IdClaims }
type TokenResponse = Omit<Issued, 'profile'> & { refresh_token?: string; id_token?: string }

/** The prefix of stored users in the vault. */
export const userPrefix = 'user.'
const nameOf = ({ slug }: Realm) => `${userPrefix}user:${realmUrl(slug)}:${consoleClientId}`

const timeoutMs = 15_000

export async function storedUser(realm: Realm, vault: Vault): Promise<StoredUser | undefined> {
  const text = await vault.get(nameOf(realm))
  return text === undefined ? undefined : (JSON.parse(text) as StoredUser)
}

/**
 * Exchanges the refresh token of `user` for new tokens and stores them (RFC 6749, section 6; OpenID Connect Core, section 12.2).
 * Returns undefined if the provider refuses it. Throws a RequestError if the provider can't be reached or gives no usable answer.
 */
export async function renewedUser(
  realm: Realm,
  vault: Vault,
  user: StoredUser,
): Promise<(Issued & { profile: IdClaims }) | undefined> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: consoleClientId,
    refresh_token: user.refresh_token ?? '',
  })
  try {
    const response = await postProven(realm, vault, form)
    if (response.status === 400 || response.status === 401) return undefined
    const issued = response.ok ? tokenResponse(await response.json()) : undefined
    if (issued === undefined) throw unreachable()
    // Without a new id_token the provider's clock is unknown.
    const profile = issued.id_token === undefined ? { ...user.profile, iat: undefined } : claimsOf(issued.id_token)
    // Core 12.2: the tokens must still be those of the same person and the same sign-in.
    if (issued.id_token !== undefined && user.id_token !== undefined)
      if (whyNotSamePerson(profile, claimsOf(user.id_token)) !== undefined) return undefined
    const { access_token, expires_in, ...kept } = issued
    await vault.set(nameOf(realm), JSON.stringify({ ...user, ...kept, profile, access_token: '' }))
    return { access_token, expires_in, token_type: issued.token_type, profile }
  } catch (error) {
    // `fetch` without a connection, a timeout, and a body that is not JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) throw unreachable(error)
    if (error instanceof DOMException && error.name === 'TimeoutError') throw unreachable(error)
    throw error
  }
}

const unreachable = (cause?: unknown) =>
  new RequestError(failureOf('network', 'The identity provider can’t be reached.'), cause)

/** Posts to the token endpoint, with a proof where the provider offers that, and again if it asks for its nonce (RFC 9449, section 8). */
async function postProven({ metadata }: Realm, vault: Vault, body: URLSearchParams, nonce?: string): Promise<Response> {
  const url = metadata.token_endpoint
  if (url === undefined) throw unreachable()
  const proves = offersProofs(metadata)
  const proof =
    proves && (await makeProof(await vault.proofKeys(), { method: 'POST', url, nonce }, undefined, Date.now()))
  const response = await post(url, body, proof === false ? {} : { dpop: proof })
  const asked = response.headers.get('dpop-nonce')
  if (!proves || response.ok || asked === null || nonce !== undefined) return response
  return await postProven({ slug: '', metadata }, vault, body, asked)
}

const post = (url: string, body: URLSearchParams, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(timeoutMs) })

function tokenResponse(answer: unknown): TokenResponse | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { access_token, token_type } = answer as Record<string, unknown>
  return typeof access_token === 'string' && typeof token_type === 'string' ? (answer as TokenResponse) : undefined
}

/** The claims of an id_token. Its signature is not checked: it came from the provider itself, over TLS. */
function claimsOf(token: string): IdClaims {
  const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0))))
}

/**
 * Revokes the refresh token and returns the address at which the provider ends its session (RP-Initiated Logout 1.0), or
 * undefined if it does not have one. Ending that session also ends the refresh token; revoking it here is only sooner.
 */
export async function signOutAt({ metadata }: Realm, user: StoredUser | undefined): Promise<string | undefined> {
  const { revocation_endpoint: revocation, end_session_endpoint: end } = metadata
  if (revocation !== undefined && user?.refresh_token !== undefined) {
    const form = { token: user.refresh_token, token_type_hint: 'refresh_token', client_id: consoleClientId }
    await post(revocation, new URLSearchParams(form)).catch(() => undefined)
  }
  if (end === undefined) return undefined
  const address = new URL(end)
  if (user?.id_token !== undefined) address.searchParams.set('id_token_hint', user.id_token)
  address.searchParams.set('client_id', consoleClientId)
  address.searchParams.set('post_logout_redirect_uri', `${window.location.origin}${signedOutPath()}`)
  return address.href
}
