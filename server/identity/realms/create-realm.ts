import { cliClientId, consoleClientId, secretDigest } from '#server/identity/clients/clients.ts'
import { hashPassword } from '#server/identity/sign-in/password.ts'
import { usernameKey } from '#server/identity/sign-in/username.ts'
import { insertClient, insertClientSecret, insertUser } from '#server/identity/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId, newRandomId, newSecret } from '#server/kernel/ids.ts'
import { createCookieKey, createSigningKey } from '#server/kernel/keys/signing-keys.ts'

/** Creates a tenant's realm: its token and cookie keys and the two public clients. `tx` is bound to the tenant. */
export async function createRealm(tx: Transaction, tenant: { id: string }): Promise<void> {
  await createSigningKey(tx, tenant.id, 'realm')
  await createCookieKey(tx, tenant.id)
  await insertClient(tx, { tenantId: tenant.id, clientId: consoleClientId, kind: 'console' })
  await insertClient(tx, { tenantId: tenant.id, clientId: cliClientId, kind: 'cli' })
}

/**
 * Creates a person; `userId` is their subject. Without a password they set one with a sign-in link. Getting tokens also
 * requires an active membership.
 */
export async function createRealmUser(
  tx: Transaction,
  tenant: { id: string },
  user: { username: string; displayName: string; email?: string | undefined; password?: string },
): Promise<{ userId: string }> {
  const userId = newRandomId()
  await insertUser(tx, {
    tenantId: tenant.id,
    id: userId,
    username: usernameKey(user.username),
    passwordHash: user.password === undefined ? null : await hashPassword(user.password),
    displayName: user.displayName,
    email: user.email ?? null,
  })
  return { userId }
}

/** Creates a service account's client. The secret is returned only here; the subject of its tokens is the client id. */
export async function createServiceClient(
  tx: Transaction,
  tenant: { id: string },
  { clientId }: { clientId: string },
): Promise<{ clientSecret: string }> {
  const clientSecret = newSecret()
  await insertClient(tx, { tenantId: tenant.id, clientId, kind: 'service' })
  const secretSha256 = secretDigest(clientSecret)
  await insertClientSecret(tx, { tenantId: tenant.id, clientId, id: newId(), secretSha256, notAfter: null })
  return { clientSecret }
}
