import { createHash } from 'node:crypto'
import { endSessions } from '#server/identity/artifacts/adapter.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { issuerOf, realmUrl } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId, newSecret } from '#server/kernel/ids.ts'
import { lockForPassword, recordPassword } from '#server/tenants/activate.ts'
import { deleteOpenLinks, deleteUser, findLiveLink, insertLink, setLinkUsed, setPassword } from './link-store.ts'

/** How long a link is valid, in milliseconds. */
const lifetimeMs = 72 * 3600 * 1000

export type SignInLink = { url: string; expiresAt: Date }

/** The last segment of a link's address: 256 bits in base64url. */
export const linkToken = /^[\w-]{43}$/

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()

/**
 * Creates the only valid link with which a person of the realm sets the password; older links stop working. The address
 * is the secret: it is returned only here, and only its SHA-256 is stored. `mailed`: the caller only sends it by mail, to the
 * account's address.
 */
export async function createSignInLink(
  tx: Transaction,
  tenant: { id: string; slug: string },
  userId: string,
  purpose: 'invitation' | 'reset',
  mailed = false,
): Promise<SignInLink> {
  const token = newSecret()
  const expiresAt = new Date(Date.now() + lifetimeMs)
  await deleteOpenLinks(tx, tenant.id, userId)
  await insertLink(tx, {
    tenantId: tenant.id,
    id: newId(),
    userId,
    tokenSha256: digest(token),
    purpose,
    mailed,
    expiresAt,
  })
  return { url: `${realmUrl(tenant.slug)}/sign-in-link/${token}`, expiresAt }
}

/** Removes the password and ends every session: the person can't sign in until they use a sign-in link. */
export async function lockOut(tx: Transaction, tenantId: string, userId: string): Promise<void> {
  await setPassword(tx, tenantId, userId, null)
  await endSessions(tx, tenantId, userId)
}

/** Deletes the account with its sessions and links; the user name becomes available again. */
export async function deleteRealmUser(tx: Transaction, tenantId: string, userId: string): Promise<void> {
  await endSessions(tx, tenantId, userId)
  await deleteUser(tx, tenantId, userId)
}

/** The owner of a link that is still valid. */
export const findLinkOwner = (tx: Transaction, { tenantId }: Realm, token: string) =>
  findLiveLink(tx, tenantId, digest(token))

/**
 * Uses the link: sets the password, ends the sessions of the old password, and activates an invited member. Returns
 * false if the link is not valid (any more), or if the membership has been suspended or removed since it was sent.
 */
export async function redeemLink(tx: Transaction, realm: Realm, token: string, passwordHash: string): Promise<boolean> {
  const { tenantId, externalId, slug } = realm
  const link = await findLiveLink(tx, tenantId, digest(token))
  if (link === undefined) return false
  const member = await lockForPassword(tx, tenantId, { issuer: issuerOf(slug), subject: link.userId })
  // Of two concurrent requests, the second waited for the lock of the member's row and finds the link used.
  if (member === undefined || !(await setLinkUsed(tx, tenantId, digest(token)))) return false
  await setPassword(tx, tenantId, link.userId, passwordHash)
  await deleteOpenLinks(tx, tenantId, link.userId)
  await endSessions(tx, tenantId, link.userId)
  await recordPassword(tx, { id: tenantId, externalId }, member, link)
  return true
}
