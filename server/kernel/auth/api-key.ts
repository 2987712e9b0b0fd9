import { grantsOf } from '#lib/rules/api-key-scopes.ts'
import { bindTenant, type Transaction } from '#server/kernel/db/database.ts'
import { accessDenied } from './access-denied.ts'
import { apiKeyDigest } from './api-key-format.ts'
import { findLiveKey, findTenantOfKey } from './api-key-store.ts'
import { forgetKey } from './known-keys.ts'
import { noteUse } from './last-use.ts'
import type { Caller } from './principal.ts'
import { refusedKey } from './refused-key.ts'

/** The part of a request's credentials that is needed in addition to the key. */
type Named = { tenantExternalId: string | undefined; tenantId: string | undefined; requestId: string }

/** A socket that was opened with a key is closed after this long, in milliseconds, and can be opened again. */
const longestSocket = 3_600_000

/**
 * API key (recogniseKey has accepted its form) → its tenant → its grants. Nothing is cached between requests, so that revocation and expiry apply from the
 * next request, on every node. Binds `tx` to the tenant. Throws 401 for a key that is not live, 403 if the request
 * names a tenant other than the key's.
 */
export async function authenticateApiKey(key: string, named: Named, tx: Transaction): Promise<Caller> {
  const digest = apiKeyDigest(key)
  const tenant = await findTenantOfKey(tx, digest)
  if (tenant === undefined) throw refusedKey('the key is unknown')
  await bindTenant(tx, tenant.id)
  const live = await findLiveKey(tx, tenant.id, digest)
  if (live === undefined) {
    forgetKey(digest)
    throw refusedKey('the key is revoked, archived or expired, or its membership is not active')
  }
  const elsewhere =
    (named.tenantExternalId ?? tenant.externalId) !== tenant.externalId || (named.tenantId ?? tenant.id) !== tenant.id
  if (elsewhere) throw accessDenied()
  noteUse(tenant.id, live.memberId)
  const latest = Date.now() + longestSocket
  return {
    tenant,
    requestId: named.requestId,
    principal: {
      memberId: live.memberId,
      kind: 'api_key',
      issuer: live.issuer,
      subject: live.subject,
      username: live.username,
      displayName: live.displayName,
      roles: [],
      permissions: new Set(grantsOf(live.permissions)),
      expiresAt: Math.min(live.expiresAt?.getTime() ?? latest, latest),
    },
  }
}
