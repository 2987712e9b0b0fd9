import type { Permission } from '#lib/permissions.ts'

/** The tenant of a call. */
export type Tenant = {
  id: string
  slug: string
  externalId: string
  name: string
  displayName: string
  branding: unknown
  settings: unknown
}

/** The authenticated caller, as a member of the tenant. */
export type Principal = {
  memberId: string
  kind: 'person' | 'service_account' | 'api_key'
  issuer: string
  subject: string
  username: string
  displayName: string
  roles: string[]
  permissions: ReadonlySet<Permission>
  /** When the token was issued, in milliseconds since the epoch; absent without a token. */
  issuedAt?: number
  /** The expiry of the token or key, in milliseconds since the epoch, at which sockets close. */
  expiresAt: number
}

export type Caller = {
  tenant: Tenant
  principal: Principal
  requestId: string
  /** The caller's reason for viewing masked values: the header x-svc-justification. */
  justification?: string
}
