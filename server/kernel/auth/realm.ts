import { runtime } from '#server/kernel/runtime.ts'

/** The audience of every access token that this API accepts. */
export const apiAudience = 'countersign'

/** A tenant's slug, which names its realm. */
export const slugPattern = /^[a-z0-9][a-z0-9-]{1,62}$/

/** Address of a tenant's own realm, which is also the `iss` of its tokens. */
export const realmUrl = (slug: string): string => `${runtime().config.authUrl}/realms/${slug}`

/**
 * The issuer of a realm's principals as members record it. It is relative to AUTH_URL, so that people keep their
 * memberships when the provider moves to another address or a second process uses another port. External issuers are
 * absolute, so the two can't be confused.
 */
export const issuerOf = (slug: string): string => `/realms/${slug}`

/** The slug of one of this server's realms, if `iss` is exactly its address. */
export function slugOfIssuer(iss: unknown): string | undefined {
  if (typeof iss !== 'string') return undefined
  const slug = iss.slice(iss.lastIndexOf('/') + 1)
  return slugPattern.test(slug) && iss === realmUrl(slug) ? slug : undefined
}
