import { cancelRequest } from '#server/approvals/cancel-request.ts'
import { revokeTokensOf } from '#server/connection-tokens/revoke-all.ts'
import { endSessions } from '#server/identity/artifacts/adapter.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { forgetPasskeys } from '#server/passkeys/credentials.ts'
import { type MemberRow, setMember } from '#server/tenants/member-store.ts'
import { findProposed } from '../changes/store.ts'

/** Withdraws what waits for approval about a member. Call it before locking the member: a decision locks the request first. */
export async function withdrawChanges(tx: Transaction, tenant: Tenant, id: string, auditId: string): Promise<void> {
  for (const kind of ['role_grant', 'password_reset'] as const)
    for (const waiting of await findProposed(tx, tenant.id, kind, [id]))
      await cancelRequest(tx, tenant, waiting.approvalId, auditId)
}

/**
 * Suspends a membership, whose row the caller has locked, and ends its sign-ins: they don't come back when the membership is resumed.
 * Those at another provider, or at the home tenant of a guest, are not this tenant's to end.
 */
export async function suspendMembership(
  tx: Transaction,
  { id: tenantId, slug }: Pick<Tenant, 'id' | 'slug'>,
  { id, issuer, subject }: Pick<MemberRow, 'id' | 'issuer' | 'subject'>,
): Promise<void> {
  await setMember(tx, tenantId, id, { status: 'suspended' })
  await revokeTokensOf(tx, tenantId, id)
  if (issuer === issuerOf(slug)) await endSessions(tx, tenantId, subject)
}

/** Ends a membership, whose row the caller has locked. Its row stays, because other records refer to it. */
export async function endMembership(tx: Transaction, tenant: Tenant, id: string): Promise<void> {
  await setMember(tx, tenant.id, id, { status: 'removed' })
  await revokeTokensOf(tx, tenant.id, id)
  await forgetPasskeys(tx, tenant, id)
}
