import { createHash } from 'node:crypto'
import { endSessions } from '#server/identity/artifacts/adapter.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { issuerOf, realmUrl } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId, newSecret } from '#server/kernel/ids.ts'
import { lockForPassword, recordPassword } from '#server/tenants/activate.ts'
import { deleteOpenLinks, deleteUser, findLiveLink, insertLink, setLinkUsed, setPassword } from './link-store.ts'

/** For how long a link works, in milliseconds. */
const lifetimeMs = 72 * 3600 * 1000

export type SignInLink = { url: string; expiresAt: Date }

/** What a link's address ends in: 256 bits in base64url. */
export const linkToken = /^[\w-]{43}$/

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()

/**
 * Makes the one link with which a person of the realm sets the password; older ones stop working. The address is the
 * secret: it is returned here once, and only its SHA-256 is kept.
 */
export async function createSignInLink(
  tx: Transaction,
  tenant: { id: string; slug: string },
  userId: string,
  purpose: 'invitation' | 'reset',
): Promise<SignInLink> {
  const token = newSecret()
  const expiresAt = new Date(Date.now() + lifetimeMs)
  await deleteOpenLinks(tx, tenant.id, userId)
  await insertLink(tx, { tenantId: tenant.id, id: newId(), userId, tokenSha256: digest(token), purpose, expiresAt })
  return { url: `${realmUrl(tenant.slug)}/sign-in-link/${token}`, expiresAt }
}

/** The password is forgotten and every session ends: until a link is used, nobody signs in as this person. */
export async function lockOut(tx: Transaction, tenantId: string, userId: string): Promise<void> {
  await setPassword(tx, tenantId, userId, null)
  await endSessions(tx, tenantId, userId)
}

/** The account ends with its sessions and links; the user name is free again. */
export async function deleteRealmUser(tx: Transaction, tenantId: string, userId: string): Promise<void> {
  await endSessions(tx, tenantId, userId)
  await deleteUser(tx, tenantId, userId)
}

/** Whose link this is, while it works. */
export const findLinkOwner = (tx: Transaction, { tenantId }: Realm, token: string) =>
  findLiveLink(tx, tenantId, digest(token))

/**
 * Uses the link up: the password is set, sessions under the old one end, and an invited member becomes active. False when
 * it does not work (any more), or the membership was suspended or removed meanwhile.
 */
export async function redeemLink(tx: Transaction, realm: Realm, token: string, passwordHash: string): Promise<boolean> {
  const { tenantId, externalId, slug } = realm
  const link = await findLiveLink(tx, tenantId, digest(token))
  if (link === undefined) return false
  const member = await lockForPassword(tx, tenantId, { issuer: issuerOf(slug), subject: link.userId })
  // Of two at once the second one waited for the member's row, and finds the link used.
  if (member === undefined || !(await setLinkUsed(tx, tenantId, digest(token)))) return false
  await setPassword(tx, tenantId, link.userId, passwordHash)
  await deleteOpenLinks(tx, tenantId, link.userId)
  await endSessions(tx, tenantId, link.userId)
  await recordPassword(tx, { id: tenantId, externalId }, member, link.purpose)
  return true
}
