import type { Tenant } from '#server/kernel/auth/principal.ts'
import { scimIssuerOf } from '#server/tenants/provider/scim-issuer.ts'
import { ScimError } from './protocol/errors.ts'

/** The issuer whose people a tenant's provider manages. Throws 403 if no issuer, or more than one, is meant. */
export function providerOf(tenant: Pick<Tenant, 'externalId' | 'slug'>): string {
  const found = scimIssuerOf(tenant)
  if ('issuer' in found) return found.issuer
  throw new ScimError(
    'forbidden',
    found.unclear === 'none'
      ? `People of this tenant sign in at Countersign itself, so no provider can manage them. Set AUTH_URL, or name the tenant in TRUSTED_ISSUERS by its external id, ${tenant.externalId}.`
      : 'This tenant has several trusted issuers. Mark the one that SCIM manages with "scim": true in TRUSTED_ISSUERS.',
  )
}
