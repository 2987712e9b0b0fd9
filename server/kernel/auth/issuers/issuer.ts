import type { KeyObject } from 'node:crypto'
import { apiAudience, issuerOf, realmUrl, slugOfIssuer } from '#server/kernel/auth/realm.ts'
import { findRealmKey } from '#server/kernel/auth/realm-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Algorithm } from './algorithms.ts'
import { findIssuerKey } from './jwks-cache.ts'
import { findRealmTenant } from './realm-tenants.ts'
import type { TrustedIssuer } from './trusted.ts'

/** The key that a token names, the issuer's algorithms for it, and the tenant that the issuer signs for. */
export type TokenKey = {
  key: KeyObject
  algorithms: readonly Algorithm[]
  /** The one tenant that the issuer is trusted for, or the claim that names one of several. */
  tenant: { externalId: string } | { claim: string }
}

/** A trusted issuer of tokens, and the conditions for accepting them. */
export type Issuer = {
  /** Exactly as in `iss`. */
  url: string
  /** As members record it. */
  recordedAs: string
  audience: string
  /** Header types, in lower case and without "application/". */
  tokenTypes: readonly string[]
  findKey(keyId: string): Promise<TokenKey | undefined>
  /** Undefined for the realms of this server. */
  foreign: ForeignTerms | undefined
}

export type ForeignTerms = {
  /** Clients whose tokens are accepted; undefined for all clients. */
  clientIds: readonly string[] | undefined
  /** Clients that are machines, even if the tokens' shape does not show it. */
  serviceClientIds: readonly string[]
  /** The claim that identifies people, where `sub` is not what the provider calls them elsewhere. */
  subjectClaim: string
}

/** The trusted issuer with exactly this address: an entry of TRUSTED_ISSUERS, or a realm at AUTH_URL. */
export function findIssuer(iss: unknown): Issuer | undefined {
  const { trustedIssuers, config } = runtime()
  const trusted = trustedIssuers.find(({ issuer }) => issuer === iss)
  if (trusted !== undefined) return trustedIssuer(trusted)
  const slug = slugOfIssuer(iss)
  if (slug === undefined) return undefined
  return config.identity === 'embedded' ? ownRealm(slug) : externalRealm(slug)
}

const ownRealm = (slug: string): Issuer => ({
  url: realmUrl(slug),
  recordedAs: issuerOf(slug),
  audience: apiAudience,
  tokenTypes: ['at+jwt'],
  async findKey(keyId) {
    const found = await findRealmKey(slug, keyId)
    if (found === undefined) return undefined
    const { key, algorithm, tenantExternalId } = found
    return { key, algorithms: [algorithm], tenant: { externalId: tenantExternalId } }
  },
  foreign: undefined,
})

/** A tenant's realm at an external provider, such as Keycloak, which needs no further configuration. */
const externalRealm = (slug: string): Issuer => {
  const url = realmUrl(slug)
  return {
    ...realmTerms(url),
    async findKey(keyId) {
      const externalId = await findRealmTenant(slug)
      const found = externalId === undefined ? undefined : await findIssuerKey({ issuer: url }, keyId)
      return externalId === undefined || found === undefined ? undefined : { ...found, tenant: { externalId } }
    },
  }
}

/** The conditions for tokens of a realm at an external provider. */
export const realmTerms = (url: string): Omit<Issuer, 'findKey'> => ({
  url,
  recordedAs: url,
  audience: apiAudience,
  tokenTypes: ['at+jwt', 'jwt'],
  foreign: { clientIds: undefined, serviceClientIds: [], subjectClaim: 'sub' },
})

/** An entry of TRUSTED_ISSUERS. */
export function trustedIssuer(trusted: TrustedIssuer): Issuer {
  const {
    issuer: url,
    audience,
    tokenTypes,
    tenant = '',
    tenantClaim,
    clientIds,
    serviceClientIds,
    subjectClaim,
  } = trusted
  return {
    url,
    recordedAs: url,
    audience,
    tokenTypes: tokenTypes.map((type) => type.toLowerCase()),
    async findKey(keyId) {
      const found = await findIssuerKey(trusted, keyId)
      if (found === undefined) return undefined
      return {
        key: found.key,
        algorithms: found.algorithms.filter((algorithm) => trusted.algorithms.includes(algorithm)),
        tenant: tenantClaim === undefined ? { externalId: tenant } : { claim: tenantClaim },
      }
    },
    foreign: { clientIds, serviceClientIds, subjectClaim },
  }
}

/** The external issuers whose tokens can give a membership in this tenant, as members record them. */
export function externalIssuersOf({ slug, externalId }: { slug: string; externalId: string }): string[] {
  const { trustedIssuers, config } = runtime()
  const trusted = trustedIssuers.filter(({ tenant, tenantClaim }) => tenant === externalId || tenantClaim !== undefined)
  const urls = trusted.map(({ issuer }) => issuer)
  const realm = realmUrl(slug)
  return config.identity === 'external' && !urls.includes(realm) ? [realm, ...urls] : urls
}

/** Whether a member's issuer is an external one: the product's own realms are recorded relative to this server. */
export const isExternalIssuer = (recordedAs: string): boolean => /^https?:/.test(recordedAs)
