import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { FirstSignIn } from '#server/kernel/auth/external/first-sign-in.ts'
import { findMember } from '#server/kernel/auth/store.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { insertAccountLink } from './account-link-store.ts'
import { insertSignedIn, lockFirstSignIns } from './first-sign-in-store.ts'
import { requireRoom } from './issuer-limit.ts'
import { namesFor } from './names.ts'

/**
 * Creates the membership of a person whom an external issuer authenticates, with the token's roles, and writes it to
 * the audit log. Afterwards it is managed like any other membership. Of two concurrent first sign-ins, both get the
 * membership of the first. Throws 'forbidden' if the issuer has reached its limit of members.
 */
export const signInFirst: FirstSignIn = (tenant, token, person, requestId) => {
  const { issuer, subject } = token
  return runtime().database.inTenant(tenant.id, async (tx) => {
    await lockFirstSignIns(tx, tenant.id)
    const known = await findMember(tx, tenant.id, issuer, subject)
    if (known !== undefined) return known
    await requireRoom(tx, tenant.id, issuer)
    const { username, email } = await namesFor(tx, tenant.id, { issuer, subject }, person)
    const id = newId()
    const { kind, displayName, roles, clientId } = person
    await insertSignedIn(tx, {
      tenantId: tenant.id,
      id,
      issuer,
      subject,
      kind,
      username,
      displayName,
      email,
      roles,
    })
    if (kind === 'person')
      await insertAccountLink(tx, {
        tenantId: tenant.id,
        account: token,
        kind: 'created',
        by: undefined,
        proof: 'provider',
      })
    await appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'member.created',
      resource: { type: 'member', id },
      reason: 'First sign-in at a trusted identity provider.',
      details: { username, kind, roles, issuer, clientId: clientId ?? null },
      requestId,
    })
    return await findMember(tx, tenant.id, issuer, subject)
  })
}
