import { ApiError } from '#lib/errors.ts'
import { Username } from '#lib/schemas/members.ts'
import { isUsernameTaken } from '#server/identity/links/link-store.ts'
import { createRealmUser } from '#server/identity/realms/create-realm.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { addInvited } from '#server/tenants/invite.ts'
import { lockNames } from '#server/tenants/machine-store.ts'
import { findNamesakes } from '#server/tenants/member-store.ts'

export type Invitation = {
  email: string
  username?: string | undefined
  displayName: string
  roles: string[]
}

/**
 * Creates account and membership (invited) of a new person; the caller creates the link and records who
 * counts as the account's holder. Throws `name_conflict`. Writes no audit record.
 */
export async function invitePerson(
  tx: Transaction,
  tenant: { id: string; slug: string },
  { email, username: wanted, displayName, roles }: Invitation,
): Promise<{ id: string; issuer: string; subject: string; username: string; displayName: string; email: string }> {
  await lockNames(tx, tenant.id)
  const username = wanted === undefined ? await freeUsername(tx, tenant.id, email) : wanted
  const namesakes = await findNamesakes(tx, tenant.id, { username, email })
  if (namesakes.some((member) => member.email === email))
    throw new ApiError('name_conflict', 'A member with this e-mail address already exists.')
  if (namesakes.length > 0 || (await isUsernameTaken(tx, tenant.id, username)))
    throw new ApiError('name_conflict', `A member named ${username} already exists. Choose another user name.`)
  const { userId } = await createRealmUser(tx, tenant, { username, displayName, email })
  const person = { issuer: issuerOf(tenant.slug), subject: userId, username, displayName, email }
  const id = await addInvited(tx, tenant.id, { ...person, roles })
  return { id, ...person }
}

/** The part before the @ if that name is free, otherwise the whole address. */
async function freeUsername(tx: Transaction, tenantId: string, email: string): Promise<string> {
  const local = Username.safeParse(email.slice(0, email.lastIndexOf('@')))
  if (!local.success) return email
  const taken =
    (await findNamesakes(tx, tenantId, { username: local.data, email: local.data })).length > 0 ||
    (await isUsernameTaken(tx, tenantId, local.data))
  return taken ? email : local.data
}
