import type { Tenant } from '#server/kernel/auth/principal.ts'
import { realmUrl } from '#server/kernel/auth/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'

/**
 * The issuer whose people SCIM manages in a tenant, as members record it: the entry of TRUSTED_ISSUERS with `"scim": true`, otherwise
 * the tenant's realm at an external AUTH_URL, otherwise its only trusted issuer. People of Countersign's own realm are never among
 * them.
 */
export function scimIssuerOf({
  externalId,
  slug,
}: Pick<Tenant, 'externalId' | 'slug'>): { issuer: string } | { unclear: 'none' | 'several' } {
  const { trustedIssuers, config } = runtime()
  const trusted = trustedIssuers.filter(({ tenant }) => tenant === externalId)
  const marked = trusted.find(({ scim }) => scim)
  if (marked !== undefined) return { issuer: marked.issuer }
  if (config.identity === 'external') return { issuer: realmUrl(slug) }
  const [only, ...others] = trusted
  if (only === undefined) return { unclear: 'none' }
  return others.length > 0 ? { unclear: 'several' } : { issuer: only.issuer }
}
