import type { TenantSettings } from '#lib/schemas/tenants.ts'
import { isExternalIssuer } from '#server/kernel/auth/issuers/issuer.ts'

/** Whether the member's tokens set the roles: only those of external issuers do. */
export const rolesComeFromToken = ({ rolesFrom }: TenantSettings, { issuer }: { issuer: string }): boolean =>
  rolesFrom === 'token' && isExternalIssuer(issuer)
