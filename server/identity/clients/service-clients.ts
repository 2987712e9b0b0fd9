import { ApiError } from '#lib/errors.ts'
import { insertClientSecret } from '#server/identity/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId, newSecret } from '#server/kernel/ids.ts'
import { secretDigest } from './clients.ts'
import { endSecrets, findClients, findEnd, findSecrets, setClientDisabled } from './service-client-store.ts'

/** A service account's client as administrators see it: which secrets are live, but not the secrets. */
export type ServiceClient = {
  clientId: string
  disabled: boolean
  /** Oldest first. */
  secrets: { id: string; createdAt: Date; notAfter: Date | null }[]
}

/** Consecutive rotations leave several secrets live; a rotation beyond this number is refused until one has expired. */
export const maxLiveSecrets = 5

/** Whether a client of the realm, of any kind, has this id. */
export const clientIdTaken = async (tx: Transaction, tenantId: string, clientId: string): Promise<boolean> =>
  (await findClients(tx, tenantId, [clientId])).length > 0

/** How long the old secrets stay valid by default, in seconds. */
const defaultOverlap = 86_400

/**
 * Gives the client another secret, which is returned only here; the live ones expire at `notAfter` (default: in 24
 * hours), or earlier if that was set before. Throws `conflict` if too many are live. The caller must hold the lock of
 * the account's row.
 */
export async function addServiceSecret(
  tx: Transaction,
  tenantId: string,
  clientId: string,
  notAfter: Date | undefined,
): Promise<{ clientSecret: string; notAfter: Date }> {
  const end = await findEnd(tx, notAfter, defaultOverlap)
  await endSecrets(tx, tenantId, clientId, end)
  if ((await findSecrets(tx, tenantId, [clientId])).length >= maxLiveSecrets)
    throw new ApiError(
      'conflict',
      `${clientId} already has ${maxLiveSecrets} live secrets. Wait until one expires, or rotate with an earlier notAfter to end them sooner.`,
    )
  const clientSecret = newSecret()
  const secretSha256 = secretDigest(clientSecret)
  await insertClientSecret(tx, { tenantId, clientId, id: newId(), secretSha256, notAfter: null })
  return { clientSecret, notAfter: end }
}

/** A disabled client gets no new tokens. Its existing tokens are refused because its membership is not active. */
export const setServiceClientDisabled = setClientDisabled

/** The clients with these ids, keyed by id. */
export async function serviceClients(
  tx: Transaction,
  tenantId: string,
  clientIds: readonly string[],
): Promise<Map<string, ServiceClient>> {
  const secrets = await findSecrets(tx, tenantId, clientIds)
  const clients = (await findClients(tx, tenantId, clientIds)).filter((client) => client.kind === 'service')
  return new Map(
    clients.map(({ clientId, disabledAt }) => [
      clientId,
      { clientId, disabled: disabledAt !== null, secrets: secrets.filter((secret) => secret.clientId === clientId) },
    ]),
  )
}
