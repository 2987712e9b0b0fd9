import type { CompiledQuery } from 'kysely'
import { ApiError } from '#lib/errors.ts'
import { type Permission, permissionsOf } from '#lib/permissions.ts'
import { TenantSettings } from '#lib/schemas/tenants.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { accessDenied } from './access-denied.ts'
import { authenticateApiKey } from './api-key.ts'
import { proofTenantOf, spendProof, verifyAuthorization } from './authorization.ts'
import { ofEndedFamily, outdated, type VerifiedToken } from './bearer.ts'
import { authenticateConnectionToken, recogniseConnectionToken } from './connection-tokens/authenticate-token.ts'
import { connectionTokenIn } from './connection-tokens/token-format.ts'
import type { ProvenRequest } from './dpop/proof.ts'
import { effectiveRoles, rolesNamed, type TokenRoles } from './effective-roles.ts'
import { signInFirst } from './external/first-sign-in.ts'
import { type ForeignToken, followToken, isNews } from './external/follow-token.ts'
import { forgetCaller, knownCaller, rememberCaller } from './known-callers.ts'
import { recogniseKey } from './known-keys.ts'
import { noteUse } from './last-use.ts'
import { isOutdated } from './outdated.ts'
import type { Caller, Tenant, TokenFamily } from './principal.ts'
import { admitKnown, findCaller, findTenantId, type Member, type Wanted } from './store.ts'

/** The credentials that a transport passes on: HTTP headers, or the connection parameters of a socket. */
export type Credentials = {
  authorization: string | undefined
  /** The proof of the key that the token is bound to, and the request that the proof must name. */
  dpop: string | undefined
  request: ProvenRequest
  apiKey?: string | undefined
  /** The origin of the web page that sends the request. */
  origin?: string | undefined
  tenantExternalId: string | undefined
  tenantId: string | undefined
  requestId: string
}

export function credentialsOf({ headers, method, url }: Request, requestId: string): Credentials {
  const { pathname, search } = new URL(url)
  return {
    authorization: headers.get('authorization') ?? undefined,
    dpop: headers.get('dpop') ?? undefined,
    request: { method, path: pathname, query: search },
    apiKey: headers.get('x-svc-api-key') ?? undefined,
    origin: headers.get('origin') ?? undefined,
    tenantExternalId: headers.get('x-svc-tenant-external-id') ?? undefined,
    tenantId: headers.get('x-svc-tenant-id') ?? undefined,
    requestId,
  }
}

/** Verified credentials; `identify` then finds the member that they belong to. */
export type Presented =
  | { apiKey: string }
  | { connectionToken: string }
  | { token: VerifiedToken; scheme: 'Bearer' | 'DPoP' }

/**
 * Verifies a request's credentials before any lookup of the caller; a proof of a key is used up. Throws 401, 400
 * for a token together with an API key, and 503 if too many strangers wait.
 */
export async function present(credentials: Credentials): Promise<Presented> {
  const { authorization, apiKey } = credentials
  if (authorization !== undefined && apiKey !== undefined)
    throw new ApiError('bad_request', 'Send a bearer token or an API key, not both.')
  if (apiKey !== undefined) {
    await recogniseKey(apiKey)
    return { apiKey }
  }
  if (authorization === undefined) throw new ApiError('unauthorized', 'Send a bearer token or an API key.')
  const connectionToken = connectionTokenIn(authorization)
  if (connectionToken !== undefined) {
    await recogniseConnectionToken(connectionToken, credentials.origin)
    return { connectionToken }
  }
  const { token, proof } = await verifyAuthorization({ ...credentials, authorization })
  if (proof !== undefined) await spendProof(await tenantIdOf(proofTenantOf(token)), proof)
  return { token, scheme: proof === undefined ? 'Bearer' : 'DPoP' }
}

/**
 * Token or API key → tenant → active membership → permissions, in a transaction of the directory, which is then bound
 * to that tenant. A first sign-in, and what a newer token says, run in separate transactions, and `end` ends this one first. Throws 401 without
 * valid credentials, 400 without a tenant, and the same 403 for an unknown tenant and for one of which the subject is
 * not an active member.
 */
export async function identify(
  presented: Presented,
  credentials: Credentials,
  { tx, end }: { tx: Transaction; end(): Promise<void> },
): Promise<Caller> {
  if ('apiKey' in presented) return await authenticateApiKey(presented.apiKey, credentials, tx)
  if ('connectionToken' in presented)
    return await authenticateConnectionToken(presented.connectionToken, credentials, tx)
  const { token } = presented
  const wanted = wantedCaller(token, credentials)
  const found = await findCaller(tx, wanted)
  if (found === undefined) throw accessDenied()
  const { tenant } = found
  const foreign = foreignIn(tenant, token)
  let { member } = found
  if (member === undefined && foreign !== undefined && token.newMember !== undefined) {
    await end()
    const roles = rolesNamed(foreign, TenantSettings.parse(tenant.settings), token.newMember.kind)
    member = await signInFirst(tenant, token, { ...token.newMember, roles }, credentials.requestId)
  }
  if (member === undefined || member.status !== 'active') throw accessDenied()
  // 401, so that the client renews: a member who still has access gets a valid token.
  if (isOutdated(member, token)) throw outdated(presented.scheme)
  if (found.familyEnded) throw ofEndedFamily(presented.scheme)
  if (foreign !== undefined && isNews(member, foreign)) {
    await end()
    member = await followToken(tenant, member, foreign, credentials.requestId)
    // The membership as it is now: access may have been withdrawn since it was read.
    if (member.status !== 'active' || isOutdated(member, token)) throw accessDenied()
  } else rememberCaller(wanted, found)
  noteMachine(tenant, member)
  return callerOf(tenant, member, token, credentials)
}

/**
 * The same from what this process has read of the caller before, without the database. The caller counts only if `first` succeeds as the
 * first statement of the call's transaction: it fails if any of that has changed. Undefined if the caller must be read.
 */
export function identifyAsKnown(
  presented: Presented,
  credentials: Credentials,
): { caller: Caller; first: CompiledQuery; settle(isConfirmed: boolean): void } | undefined {
  if (!('token' in presented)) return undefined
  const { token } = presented
  const wanted = wantedCaller(token, credentials)
  const found = knownCaller(wanted)
  if (found === undefined) return undefined
  const { tenant, member } = found
  if (member === undefined || member.status !== 'active' || isOutdated(member, token) || found.familyEnded)
    return undefined
  const foreign = foreignIn(tenant, token)
  if (foreign !== undefined && isNews(member, foreign)) return undefined
  return {
    caller: callerOf(tenant, member, token, credentials),
    first: admitKnown(wanted, found),
    settle(isConfirmed) {
      if (isConfirmed) noteMachine(tenant, member)
      else forgetCaller(wanted)
    },
  }
}

const foreignIn = (tenant: Tenant, token: VerifiedToken): ForeignToken | undefined =>
  tenant.externalId === token.tenantExternalId && token.claims !== undefined
    ? { ...token, claims: token.claims }
    : undefined

function noteMachine(tenant: Tenant, member: Member): void {
  if (member.kind !== 'person') noteUse(tenant.id, member.id)
}

function callerOf(tenant: Tenant, member: Member, token: VerifiedToken, credentials: Credentials): Caller {
  const family = familyOf(token)
  const home = tenant.externalId === token.tenantExternalId
  // A token says nothing about roles in other tenants than its own.
  const said: TokenRoles | undefined = home
    ? { issuer: token.issuer, roles: token.roles, claims: token.claims }
    : undefined
  const roles = effectiveRoles(member, said, tenant.settings)
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
      ...(said === undefined ? {} : { token: said }),
      ...reachOf(token, permissionsOf(roles)),
      ...(family === undefined ? {} : { family }),
      issuedAt: token.issuedAt,
      expiresAt: token.expiresAt,
    },
  }
}

/** A token for one address of the gateway carries one permission, if the member has it. */
const reachOf = (
  { resource, authorizedParty = 'unknown' }: VerifiedToken,
  permissions: Set<Permission>,
): { permissions: Set<Permission>; clientId?: string } =>
  resource === undefined
    ? { permissions }
    : {
        permissions: new Set(permissions.has('execution:start') ? ['execution:start'] : []),
        clientId: authorizedParty,
      }

const familyOf = ({ family, issuerTenant }: VerifiedToken): TokenFamily | undefined =>
  family === undefined || issuerTenant === undefined ? undefined : { id: family, tenantExternalId: issuerTenant }

const wantedCaller = (token: VerifiedToken, credentials: Credentials): Wanted => ({
  ...wantedTenant(token, credentials),
  issuer: token.issuer,
  subject: token.subject,
  family: familyOf(token),
})

/** The tenant that the request names, otherwise the token's own. */
function wantedTenant(token: VerifiedToken, { tenantExternalId, tenantId }: Credentials) {
  if (tenantExternalId !== undefined || tenantId !== undefined) return { externalId: tenantExternalId, id: tenantId }
  if (token.tenantExternalId === undefined)
    throw new ApiError(
      'tenant_required',
      'The token does not name a tenant. Name one in the header x-svc-tenant-external-id.',
    )
  return { externalId: token.tenantExternalId, id: undefined }
}

async function tenantIdOf(externalId: string): Promise<string> {
  const id = await runtime().database.inDirectory((tx) => findTenantId(tx, externalId))
  if (id === undefined) throw accessDenied()
  return id
}
