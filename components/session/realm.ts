import type { OidcMetadata } from 'oidc-client-ts'
import { runtimeConfig } from './runtime.ts'

/** An organisation's realm at the identity provider, with its endpoints as it published them. */
export type Realm = { slug: string; metadata: Partial<OidcMetadata> }

/** Why signing in to an organisation is currently impossible. */
export type RealmProblem = 'unknown-organisation' | 'unreachable' | 'other-issuer'

/** What people read when a provider names another issuer than the one that the console was given. */
export const otherIssuer =
  'The identity provider describes itself under another address. Ask your operator to check AUTH_URL.'

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
export function offersProofs(metadata: object): boolean {
  const algorithms: unknown = Reflect.get(metadata, 'dpop_signing_alg_values_supported')
  return Array.isArray(algorithms) && algorithms.includes('ES256')
}
