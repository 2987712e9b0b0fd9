import { ApiError } from '#lib/errors.ts'
import type { SettingsPatch, TenantSettings } from '#lib/schemas/tenants.ts'
import { namesAt, rolesNamed } from '#server/kernel/auth/effective-roles.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { requireIssuers } from './groups/propose-members.ts'

/**
 * Throws 400 for a mapping of an unknown issuer, and 409 for settings under which the caller's own token would not give
 * `tenant_admin`: with a wrong claim no one could correct it here.
 */
export function requireProviderSettings(
  tenant: Tenant,
  { token, kind }: Principal,
  before: TenantSettings,
  patch: SettingsPatch,
): void {
  const after: TenantSettings = {
    ...before,
    rolesFrom: patch.rolesFrom ?? before.rolesFrom,
    roleClaim: patch.roleClaim ?? before.roleClaim,
    roleMapping: patch.roleMapping ?? before.roleMapping,
  }
  if (patch.roleMapping !== undefined) requireIssuers(tenant, patch.roleMapping, 'roleMapping')
  const asksOfRoles = patch.rolesFrom !== undefined || patch.roleClaim !== undefined || patch.roleMapping !== undefined
  // The roles of a caller from the product's own realm stay those of the membership.
  if (!asksOfRoles || token?.claims === undefined) return
  const claims = token.claims
  if (rolesNamed({ issuer: token.issuer, claims }, after, kind).includes('tenant_admin')) return
  const names = namesAt(claims, after.roleClaim)
  const found = names.length === 0 ? 'names nothing' : `names ${names.slice(0, 20).join(', ')}`
  throw new ApiError(
    'conflict',
    `With these settings, your own token would not give you tenant_admin, so no one could correct them. Its claim ${after.roleClaim} ${found}. Map one of your names there to tenant_admin first.`,
  )
}
