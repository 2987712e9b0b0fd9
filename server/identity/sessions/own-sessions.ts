import { familyOf } from '#server/identity/artifacts/adapter.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'

/**
 * The caller's account in the tenant's own realm. Undefined for a machine, and for a person of another issuer or organisation,
 * whose subject may be the same by chance or on purpose.
 */
export function ownAccount(tenant: Tenant, { kind, issuer, subject }: Principal) {
  if (kind !== 'person' || issuer !== issuerOf(tenant.slug)) return undefined
  return { tenantId: tenant.id, accountId: subject }
}

/** Whether the caller's token belongs to a session with these grants. */
export const isCurrent = ({ family }: Principal, grants: Record<string, string>): boolean =>
  family !== undefined && Object.values(grants).some((grant) => familyOf(grant) === family.id)
