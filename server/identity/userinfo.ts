import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#lib/errors.ts'
import { readBearer } from '#server/kernel/auth/bearer.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { activePerson, personClaims } from './claims.ts'
import { corsHeaders } from './cors.ts'
import type { Realm } from './realm.ts'
import { sendJson } from './respond.ts'

/**
 * OpenID Connect Core, section 5.3, for this realm's JWT access tokens. Bearer tokens only: one that is bound to a key
 * (DPoP) is refused here.
 */
export async function serveUserinfo(realm: Realm, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const refuse = (status: number, error: string, description: string) =>
    sendJson(
      res,
      status,
      { error, error_description: description },
      {
        ...corsHeaders(req),
        'www-authenticate': `Bearer realm="${realm.url}", error="${error}", error_description="${description}"`,
      },
    )
  const verified = await readBearer(req.headers.authorization ?? '').catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'unauthorized') return undefined
    throw error
  })
  if (verified === undefined || verified.token.issuer !== issuerOf(realm.slug))
    return refuse(401, 'invalid_token', 'the access token is missing, expired or invalid')
  const { token, claims } = verified
  const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : []
  const person = await activePerson(realm, token.subject)
  if (!scopes.includes('openid') || person === undefined)
    return refuse(403, 'insufficient_scope', 'the access token is not one of a person with the scope openid')
  const { sub, tenant, name, preferred_username, email } = personClaims(realm, token.subject, person)
  const answer = {
    sub,
    tenant,
    ...(scopes.includes('profile') ? { name, preferred_username } : {}),
    ...(scopes.includes('email') ? { email } : {}),
  }
  sendJson(res, 200, answer, corsHeaders(req))
}
