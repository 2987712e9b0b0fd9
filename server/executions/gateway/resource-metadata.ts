import { notFound } from '#lib/errors.ts'
import { gatewayAt, gatewayUrl } from '#server/kernel/auth/gateway-address.ts'
import { realmUrl } from '#server/kernel/auth/realm.ts'
import { findRealmSlug } from '#server/kernel/auth/realm-store.ts'
import { newId } from '#server/kernel/ids.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { runtime } from '#server/kernel/runtime.ts'

const inserted = '/.well-known/oauth-protected-resource'

/**
 * RFC 9728 metadata of an address of the gateway: the realm at which a client gets a token for it. Public, and the same whether
 * or not agent and server exist, so that strangers learn nothing about them.
 */
export const resourceMetadata: RouteHandler = async (request) => {
  const requestId = newId()
  try {
    const { pathname, search } = new URL(request.url)
    const address = gatewayAt(pathname.slice(inserted.length), search)
    if (address === undefined) throw notFound()
    const realm = await lookUpForStranger('gateway-metadata', () =>
      runtime().database.inDirectory((tx) => findRealmSlug(tx, address.externalId)),
    )
    if (realm === undefined) throw notFound()
    const metadata = {
      resource: gatewayUrl(address),
      resource_name: `Countersign: ${address.server} for ${address.agent}`,
      authorization_servers: [realmUrl(realm.slug)],
      scopes_supported: ['execution:start'],
      bearer_methods_supported: ['header'],
    }
    return Response.json(metadata, {
      headers: { 'cache-control': 'no-cache', 'access-control-allow-origin': '*', 'x-request-id': requestId },
    })
  } catch (error) {
    return errorResponse(error, requestId)
  }
}
