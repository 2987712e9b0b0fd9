import type { Tenant } from '#server/kernel/auth/principal.ts'
import { realmUrl } from '#server/kernel/auth/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { ScimError } from './protocol/errors.ts'

/**
 * The issuer whose people a tenant's provider manages, as members record it: the entry of TRUSTED_ISSUERS with `"scim": true`,
 * otherwise the tenant's realm at an external AUTH_URL, otherwise its only trusted issuer. People of Countersign's own realm are
 * never among them. Throws 403 if no issuer, or more than one, is meant.
 */
export function providerOf({ externalId, slug }: Pick<Tenant, 'externalId' | 'slug'>): string {
  const { trustedIssuers, config } = runtime()
  const trusted = trustedIssuers.filter(({ tenant }) => tenant === externalId)
  const marked = trusted.find(({ scim }) => scim)
  if (marked !== undefined) return marked.issuer
  if (config.identity === 'external') return realmUrl(slug)
  const [only, ...others] = trusted
  if (only === undefined)
    throw new ScimError(
      'forbidden',
      `People of this tenant sign in at Countersign itself, so no provider can manage them. Set AUTH_URL, or name the tenant in TRUSTED_ISSUERS by its external id, ${externalId}.`,
    )
  if (others.length > 0)
    throw new ScimError(
      'forbidden',
      'This tenant has several trusted issuers. Mark the one that SCIM manages with "scim": true in TRUSTED_ISSUERS.',
    )
  return only.issuer
}
