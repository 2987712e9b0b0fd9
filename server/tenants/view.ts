import { brandingPath } from '#lib/paths.ts'
import { Branding, type Tenant, TenantSettings } from '#lib/schemas/tenants.ts'
import type { Tenant as TenantRow } from '#server/kernel/auth/principal.ts'
import { runtime } from '#server/kernel/runtime.ts'

export const tenantView = (row: TenantRow): Tenant => ({
  id: row.id,
  externalId: row.externalId,
  name: row.name,
  displayName: row.displayName,
  branding: brandingOf(row.branding),
})

/**
 * Branding as callers see it, with images as addresses on this server. The stored branding has the SHA-256 of each
 * image.
 */
export function brandingOf(stored: unknown): Branding {
  const branding = Branding.parse(stored)
  const urlOf = (digest: string | null) =>
    digest === null ? null : `${runtime().config.baseUrl}${brandingPath(digest)}`
  return { ...branding, logoUrl: urlOf(branding.logoUrl), logoMarkUrl: urlOf(branding.logoMarkUrl) }
}

/** The tenant's settings, with the safe default for each setting without a value. */
export const settingsOf = (row: TenantRow): TenantSettings => TenantSettings.parse(row.settings)
