import type { Permission } from '#lib/permissions.ts'
import type { ConnectionUse } from '#lib/schemas/connection-tokens.ts'
import type { TokenRoles } from './effective-roles.ts'

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

/** The tokens of one sign-in at one client: they end together. */
export type TokenFamily = { id: string; tenantExternalId: string }

/** `agents`: the names of the agents that the token is for; undefined for all of them. */
export type Connection = { id: string; use: ConnectionUse; agents: readonly string[] | undefined }

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
  /** What the presented token says about roles; absent for what carries none in this tenant. */
  token?: TokenRoles
  /** The connection token that the caller sent, instead of an access token: the caller reaches what it is for, and nothing else. */
  connection?: Connection
  /** The client of another vendor that the token was issued to, for one address of the gateway: the caller reaches nothing else. */
  clientId?: string
  /** The family of the token, in the tenant of its realm. */
  family?: TokenFamily
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

/** The connection token or the client by which the caller acts, for the details of its records: each can be ended on its own. */
export const connectionOf = ({
  principal: { connection, clientId },
}: Caller): { connectionTokenId?: string; clientId?: string } => ({
  ...(connection === undefined ? {} : { connectionTokenId: connection.id }),
  ...(clientId === undefined ? {} : { clientId }),
})
