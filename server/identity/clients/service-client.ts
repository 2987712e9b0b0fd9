import type { IncomingMessage } from 'node:http'
import { Provider } from 'oidc-provider'
import { findClient, findLiveSecrets, findServiceAccount } from '#server/identity/store.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** A client at one moment: whether it exists, the digests of its live secrets, and its membership as a service account. */
export type ServiceClient = Awaited<ReturnType<typeof readServiceClient>>

/** All of it from one transaction, in one write. */
export async function readServiceClient({ tenantId, slug }: { tenantId: string; slug: string }, clientId: string) {
  // Before the read: a right that is withdrawn in between is withdrawn from a token with this time, too.
  const readAt = Date.now()
  const [client, secrets, account] = await runtime().database.readInTenant(tenantId, (tx) =>
    Promise.all([
      findClient(tx, tenantId, clientId),
      findLiveSecrets(tx, tenantId, clientId),
      findServiceAccount(tx, tenantId, issuerOf(slug), clientId),
    ]),
  )
  return { clientId, readAt, client, secrets, account }
}

// Owned by this module: what a request of the token endpoint has read of the client that it names. It ends with the request.
const ofRequests = new WeakMap<IncomingMessage, ServiceClient>()

/** Reads the client that a request names for all that its answer needs. */
export async function readForRequest(
  realm: { tenantId: string; slug: string },
  clientId: string,
): Promise<ServiceClient> {
  const read = await readServiceClient(realm, clientId)
  const { ctx } = Provider
  if (ctx?.oidc.route === 'token') ofRequests.set(ctx.req, read)
  return read
}

/** What the current request has read of this client before; undefined if nothing. */
export function readByRequest(clientId: string): ServiceClient | undefined {
  const { ctx } = Provider
  const read = ctx === undefined ? undefined : ofRequests.get(ctx.req)
  return read?.clientId === clientId ? read : undefined
}
