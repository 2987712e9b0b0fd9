import { errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import { apiAudience } from '#server/kernel/auth/realm.ts'

/** RFC 8707: every token is for the one API, even if the request names no resource. */
export const apiResource = 'urn:countersign:api'

export const scopes = ['openid', 'profile', 'email']

/** The properties of the API's tokens. Throws invalid_target for another resource. */
export function resourceServer(
  ctx: KoaContextWithOIDC,
  resource: string,
  { accessTokenTTL, alg }: { accessTokenTTL: number; alg: 'ES256' | 'RS256' },
): ResourceServer {
  if (resource !== apiResource) throw new errors.InvalidTarget()
  ensureScope(ctx)
  return {
    audience: apiAudience,
    scope: scopes.join(' '),
    accessTokenTTL,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg } },
  }
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
