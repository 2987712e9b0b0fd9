import { Branding, type Tenant, TenantSettings } from '#lib/schemas/tenants.ts'
import type { Tenant as TenantRow } from '#server/kernel/auth/principal.ts'

export const tenantView = (row: TenantRow): Tenant => ({
  id: row.id,
  externalId: row.externalId,
  name: row.name,
  displayName: row.displayName,
  branding: Branding.parse(row.branding),
})

/** The tenant's settings, with the safe default for each that was never set. */
export const settingsOf = (row: TenantRow): TenantSettings => TenantSettings.parse(row.settings)
