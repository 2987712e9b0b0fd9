import { ApiError } from '#lib/errors.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { FirstSignIn } from '#server/kernel/auth/first-sign-in.ts'
import { findMember } from '#server/kernel/auth/store.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { countMembersOf, findNamesakes, insertSignedIn, lockFirstSignIns } from './first-sign-in-store.ts'

/** Of one issuer in one tenant: an issuer that goes wrong can't fill the list of members without end. */
const maxMembers = 10_000

/**
 * Makes the membership of somebody whom a foreign issuer vouches for, with the token's roles, and writes it to the audit
 * log. From then on it is like any other: the console changes its roles, suspends and removes it. Returns the membership
 * of whoever came first when two come at once. Throws 'forbidden' when the issuer has as many members as it may.
 */
export const signInFirst: FirstSignIn = (tenant, token, person, requestId) => {
  const { issuer, subject } = token
  return runtime().database.inTenant(tenant.id, async (tx) => {
    await lockFirstSignIns(tx, tenant.id)
    const known = await findMember(tx, tenant.id, issuer, subject)
    if (known !== undefined) return known
    if ((await countMembersOf(tx, tenant.id, issuer, maxMembers)) >= maxMembers)
      throw new ApiError('forbidden', 'No further members can come from this identity provider. Ask an administrator.')
    const namesakes = await findNamesakes(tx, tenant.id, person.username, person.email)
    const username = namesakes.some((one) => sameText(one.username, person.username))
      ? `${person.username} (${new URL(issuer).host}, ${subject})`
      : person.username
    const email = namesakes.some((one) => sameText(one.email, person.email)) ? null : (person.email ?? null)
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

const sameText = (one: string | null, other: string | undefined): boolean =>
  one !== null && other !== undefined && one.toLowerCase() === other.toLowerCase()
