import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Realm } from '#server/identity/realms/realm.ts'
import { isOutdated } from '#server/kernel/auth/outdated.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { lockTokensNotBefore } from '#server/tenants/member-store.ts'

/** The times of a login as an interaction stores them: in seconds for the session, and exactly for the check below. */
export const loginTimes = (beganAt: number) => ({ ts: Math.floor(beganAt / 1000), beganAt })

/**
 * Whether access was withdrawn from the signed-in account since its sign-in began, by a new password, a reset or a suspension.
 * An interaction that was completed, and left before its last redirect, would outlast that for half an hour.
 *
 * The library has stored the grant by now. A transaction that withdraws access either ends that grant, or had locked the
 * member before: then this waits until it has committed.
 */
export async function isLoginOutdated({ tenantId, slug }: Realm, oidc: KoaContextWithOIDC['oidc']): Promise<boolean> {
  const subject = oidc.account?.accountId
  if (subject === undefined) return false
  const beganAt = oidc.result?.login?.beganAt
  // A session has only the second. It asks too often, after a sign-in in the second of the withdrawal, rather than too rarely.
  const issuedAt = typeof beganAt === 'number' ? beganAt : (oidc.session?.loginTs ?? 0) * 1000
  const tokensNotBefore = await runtime().database.inTenant(tenantId, (tx) =>
    lockTokensNotBefore(tx, tenantId, { issuer: issuerOf(slug), subject }),
  )
  return isOutdated({ tokensNotBefore }, { issuedAt })
}
