import type { TrustedIssuers } from '#server/kernel/auth/issuers/trusted.ts'
import type { Sink } from '#server/siem/sink.ts'

type Known = { slug: string; externalId: string }

/** A tenant that a file of the operator names, and that does not exist. `text` says what is wrong, in one line. */
export type UnknownTenant = { setting: 'TRUSTED_ISSUERS' | 'SIEM_SINKS'; text: string }

/**
 * The tenants in files of the operator that do not exist, most often because the file has the slug instead of the external id. They may
 * also be yet to be created, so this is never an error.
 */
export function unknownTenants(
  tenants: readonly Known[],
  { issuers = [], sinks = [] }: { issuers?: TrustedIssuers; sinks?: readonly Pick<Sink, 'name' | 'tenants'>[] },
): UnknownTenant[] {
  const known = new Set(tenants.map(({ externalId }) => externalId))
  const named = [
    ...issuers.map(({ issuer, tenant }) => ({ setting: 'TRUSTED_ISSUERS' as const, by: issuer, tenant })),
    ...sinks.flatMap(({ name, tenants }) =>
      [...tenants].map((tenant) => ({ setting: 'SIEM_SINKS' as const, by: name, tenant })),
    ),
  ]
  return named.flatMap(({ setting, by, tenant }) =>
    tenant === undefined || known.has(tenant)
      ? []
      : { setting, text: `${by}: a tenant with the external id ${tenant} does not exist${meant(tenants, tenant)}.` },
  )
}

const mostListed = 20

function meant(tenants: readonly Known[], name: string): string {
  const same = tenants.find(({ slug }) => slug === name)
  if (same !== undefined) return `; ${name} is the slug of ${same.externalId}`
  if (tenants.length === 0) return ''
  const ids = tenants.slice(0, mostListed).map(({ externalId }) => externalId)
  return ` (external ids: ${ids.join(', ')}${tenants.length > mostListed ? ', …' : ''})`
}
