import type { Permission } from '#lib/permissions.ts'

/** The tenant that a call works in. */
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
  /** When the token was issued, in milliseconds since the epoch; absent where there is no token. */
  issuedAt?: number
  /** The end of the token or key, in milliseconds since the epoch: sockets close then. */
  expiresAt: number
}

export type Caller = {
  tenant: Tenant
  principal: Principal
  requestId: string
  /** Why they want to see what is masked: the header x-svc-justification. */
  justification?: string
}
