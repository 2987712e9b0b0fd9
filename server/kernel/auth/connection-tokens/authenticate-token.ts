import { ApiError } from '#lib/errors.ts'
import { permissionsOf } from '#lib/permissions.ts'
import { permissionOfUse } from '#lib/rules/service-accounts.ts'
import { ConnectionUse } from '#lib/schemas/connection-tokens.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { bindTenant, type Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { accessDenied } from '../access-denied.ts'
import { CredentialRefused } from '../challenge.ts'
import { knownCredentials } from '../known-credentials.ts'
import { noteTokenUse, noteUse } from '../last-use.ts'
import type { Caller } from '../principal.ts'
import { connectionTokenDigest, isConnectionToken } from './token-format.ts'
import { findLiveToken, findTenantOfToken } from './token-store.ts'

/** The part of a request's credentials that is needed in addition to the token. */
type Named = { tenantExternalId: string | undefined; tenantId: string | undefined; requestId: string }

/** The same message for every reason, so that a response does not reveal whether a token ever existed. */
const refused = (reason: string) =>
  new CredentialRefused(
    { scheme: 'Bearer', error: 'invalid_token' },
    'The connection token is unknown, expired or revoked.',
    reason,
  )

// Owned by this module: digests of tokens that were live when this process last read them.
const known = knownCredentials('connection-tokens', (digest) =>
  runtime().database.inDirectory(async (tx) => {
    const tenant = await findTenantOfToken(tx, digest)
    if (tenant === undefined) return false
    await bindTenant(tx, tenant.id)
    return (await findLiveToken(tx, tenant.id, digest)) !== undefined
  }),
)

/**
 * Throws 403 for a request from a web page, where a lasting credential could be read by anyone who reads the page; 401
 * unless this process has seen the token, or finds it when it is the caller's turn; and OverloadError.
 */
export async function recogniseConnectionToken(token: string, origin: string | undefined): Promise<void> {
  if (origin !== undefined)
    throw new ApiError(
      'forbidden',
      'A connection token can’t be used from a web page. Sign in there, and keep the token on a server.',
    )
  if (!isConnectionToken(token)) throw refused('the text does not have the form of a connection token')
  if (!(await known.recognise(connectionTokenDigest(token)))) throw refused('the token is unknown or not live')
}

/**
 * Connection token (recogniseConnectionToken has accepted it) → its tenant → its service account, with the account's
 * permissions as far as the token's use includes them. Nothing is cached between requests, so that revocation and expiry
 * apply from the next request, on every node. Binds `tx` to the tenant. Throws 401 for a token that is not live, 403 if the
 * request names another tenant, and 500 `integrity_failed` for a row that the server did not write.
 */
export async function authenticateConnectionToken(token: string, named: Named, tx: Transaction): Promise<Caller> {
  const digest = connectionTokenDigest(token)
  const tenant = await findTenantOfToken(tx, digest)
  if (tenant === undefined) throw refused('the token is unknown')
  await bindTenant(tx, tenant.id)
  const live = await findLiveToken(tx, tenant.id, digest)
  if (live === undefined) {
    known.forget(digest)
    throw refused('the token is revoked or expired, or its service account is not active')
  }
  await requireBound(tx, tenant.id, 'connection_token', [live.id])
  const elsewhere =
    (named.tenantExternalId ?? tenant.externalId) !== tenant.externalId || (named.tenantId ?? tenant.id) !== tenant.id
  if (elsewhere) throw accessDenied()
  noteUse(tenant.id, live.memberId)
  noteTokenUse(tenant.id, live.id)
  const use = ConnectionUse.parse(live.use)
  const needed = permissionOfUse[use]
  const own = permissionsOf(live.roles)
  return {
    tenant,
    requestId: named.requestId,
    principal: {
      memberId: live.memberId,
      kind: 'service_account',
      issuer: live.issuer,
      subject: live.subject,
      username: live.username,
      displayName: live.displayName,
      roles: live.roles,
      permissions: new Set(needed !== undefined && own.has(needed) ? [needed] : []),
      connection: { id: live.id, use, agents: live.agents ?? undefined },
      expiresAt: live.expiresAt.getTime(),
    },
  }
}
