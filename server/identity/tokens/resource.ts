import { errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import { isForeignClient } from '#server/identity/clients/foreign-clients.ts'
import { gatewayOf } from '#server/kernel/auth/gateway-address.ts'
import { apiAudience } from '#server/kernel/auth/realm.ts'

/** RFC 8707: every token of the product's own clients is for the one API, even if the request names no resource. */
export const apiResource = 'urn:countersign:api'

export const scopes = ['openid', 'profile', 'email']

/** The one scope of a client of another vendor. */
export const gatewayScope = 'execution:start'

type Terms = { externalId: string; accessTokenTTL: number; alg: 'ES256' | 'RS256' }

/**
 * The properties of the tokens for `resource`: the API for the product's own clients, and for the others one address of the
 * gateway, of this tenant. Throws invalid_target for another resource.
 */
export function resourceServer(
  ctx: KoaContextWithOIDC,
  resource: string,
  { clientId }: { clientId: string },
  { externalId, accessTokenTTL, alg }: Terms,
): ResourceServer {
  const format = { accessTokenTTL, accessTokenFormat: 'jwt', jwt: { sign: { alg } } } as const
  if (isForeignClient(clientId)) {
    const { params } = ctx.oidc
    if (gatewayOf(resource)?.externalId !== externalId || Array.isArray(params?.resource))
      throw new errors.InvalidTarget()
    // Nothing else can be granted, whatever the client requests.
    if (params !== undefined && ctx.oidc.route === 'authorization') params.scope = gatewayScope
    return { audience: resource, scope: gatewayScope, ...format }
  }
  if (resource !== apiResource) throw new errors.InvalidTarget()
  ensureScope(ctx)
  return { audience: apiAudience, scope: scopes.join(' '), ...format }
}

/**
 * Gives a request without a known scope Keycloak's default scopes, so that the response always has a scope. Scopes only
 * select claims; permissions depend on roles. A refresh keeps the granted scopes.
 */
function ensureScope({ oidc: { params, route } }: KoaContextWithOIDC): void {
  if (params === undefined || (route !== 'authorization' && params.grant_type !== 'client_credentials')) return
  const requested = typeof params.scope === 'string' ? params.scope.split(' ') : []
  if (!requested.some((scope) => scopes.includes(scope))) params.scope = 'profile email'
}
