import { ApiError } from '#lib/errors.ts'
import { insertClientSecret } from '#server/identity/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId, newSecret } from '#server/kernel/ids.ts'
import { secretDigest } from './clients.ts'
import { endSecrets, findClients, findEnd, findSecrets, setClientDisabled } from './service-client-store.ts'

/** A service account's client as its administrators see it: which secrets are live, never what they are. */
export type ServiceClient = {
  clientId: string
  disabled: boolean
  /** Oldest first. */
  secrets: { id: string; createdAt: Date; notAfter: Date | null }[]
}

/** Rotations in a row leave several secrets live; more than this are refused until one has ended. */
export const maxLiveSecrets = 5

/** Whether a client of the realm, of any kind, has this id. */
export const clientIdTaken = async (tx: Transaction, tenantId: string, clientId: string): Promise<boolean> =>
  (await findClients(tx, tenantId, [clientId])).length > 0

/** Seconds for which the old secrets go on when nothing else is said. */
const defaultOverlap = 86_400

/**
 * Gives the client one more secret, which is returned here once; the live ones end at `notAfter` (default: in 24 hours),
 * or earlier where that was set before. Throws `conflict` with too many live ones. The caller holds the account's row.
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
      `${maxLiveSecrets} secrets of ${clientId} are live. Wait until one has ended, or end them by an earlier notAfter.`,
    )
  const clientSecret = newSecret()
  const secretSha256 = secretDigest(clientSecret)
  await insertClientSecret(tx, { tenantId, clientId, id: newId(), secretSha256, notAfter: null })
  return { clientSecret, notAfter: end }
}

/** A disabled client gets no tokens. Tokens that it has are refused by its membership. */
export const setServiceClientDisabled = setClientDisabled

/** The clients with these ids, by id. */
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
