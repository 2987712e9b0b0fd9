import { ApiError } from '#lib/errors.ts'
import { type Permission, permissionsOf } from '#lib/permissions.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { accessDenied } from './access-denied.ts'
import { authenticateApiKey } from './api-key.ts'
import { proofTenantOf, spendProof, verifyAuthorization } from './authorization.ts'
import type { VerifiedToken } from './bearer.ts'
import type { ProvenRequest } from './dpop/proof.ts'
import { signInFirst } from './first-sign-in.ts'
import { noteUse } from './last-use.ts'
import type { Caller, Tenant } from './principal.ts'
import { findMember, findTenant } from './store.ts'

/** What a transport hands over: headers of HTTP, or the connection parameters of a socket. */
export type Credentials = {
  authorization: string | undefined
  /** The proof of the key that the token is bound to, and the request that it must have been made for. */
  dpop: string | undefined
  request: ProvenRequest
  apiKey?: string | undefined
  tenantExternalId: string | undefined
  tenantId: string | undefined
  requestId: string
}

export const credentialsOf = ({ headers, method, url }: Request, requestId: string): Credentials => ({
  authorization: headers.get('authorization') ?? undefined,
  dpop: headers.get('dpop') ?? undefined,
  request: { method, path: new URL(url).pathname },
  apiKey: headers.get('x-svc-api-key') ?? undefined,
  tenantExternalId: headers.get('x-svc-tenant-external-id') ?? undefined,
  tenantId: headers.get('x-svc-tenant-id') ?? undefined,
  requestId,
})

/**
 * Token or API key → tenant → active membership → permissions. Throws 401 without a valid one of them, 400 with both or
 * without a tenant, and the same 403 for a tenant that does not exist and for one in which the subject has no active
 * membership.
 */
export async function authenticate(credentials: Credentials): Promise<Caller> {
  const { authorization, apiKey } = credentials
  if (authorization !== undefined && apiKey !== undefined)
    throw new ApiError('bad_request', 'Send a bearer token or an API key, not both.')
  if (apiKey !== undefined) return await authenticateApiKey(apiKey, credentials)
  if (authorization === undefined) throw new ApiError('unauthorized', 'Send a bearer token or an API key.')
  const { token, proof } = await verifyAuthorization({ ...credentials, authorization })
  if (proof !== undefined) await spendProof(await tenantIdOf(proofTenantOf(token)), proof)
  const tenant = await selectTenant(token, credentials)
  const home = tenant.externalId === token.tenantExternalId
  const known = await runtime().database.inTenant(tenant.id, (tx) =>
    findMember(tx, tenant.id, token.issuer, token.subject),
  )
  const { newMember } = token
  const member =
    known === undefined && home && newMember !== undefined
      ? await signInFirst(tenant, token, newMember, credentials.requestId)
      : known
  if (member === undefined || member.status !== 'active') throw accessDenied()
  if (member.kind !== 'person') noteUse(tenant.id, member.id)
  // In the token's own tenant a role must be in the token and in the membership: what was taken away is gone at once.
  const roles = home ? member.roles.filter((role) => token.roles.includes(role)) : member.roles
  return {
    tenant,
    requestId: credentials.requestId,
    principal: {
      memberId: member.id,
      kind: member.kind === 'person' ? 'person' : 'service_account',
      issuer: token.issuer,
      subject: token.subject,
      username: member.username,
      displayName: member.displayName,
      roles,
      permissions: permissionsOf(roles) satisfies Set<Permission>,
      expiresAt: token.expiresAt,
    },
  }
}

async function selectTenant(token: VerifiedToken, { tenantExternalId, tenantId }: Credentials): Promise<Tenant> {
  const named = tenantExternalId !== undefined || tenantId !== undefined
  if (!named && token.tenantExternalId === undefined)
    throw new ApiError('tenant_required', 'The token names no tenant.')
  const wanted = named
    ? { externalId: tenantExternalId, id: tenantId }
    : { externalId: token.tenantExternalId, id: undefined }
  const tenant = await runtime().database.inDirectory((tx) => findTenant(tx, wanted))
  if (tenant === undefined) throw accessDenied()
  return tenant
}

async function tenantIdOf(externalId: string): Promise<string> {
  const tenant = await runtime().database.inDirectory((tx) => findTenant(tx, { externalId, id: undefined }))
  if (tenant === undefined) throw accessDenied()
  return tenant.id
}
