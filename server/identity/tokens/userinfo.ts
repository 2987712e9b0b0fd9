import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#lib/errors.ts'
import { corsHeaders } from '#server/identity/cors.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { sendJson } from '#server/identity/respond.ts'
import { spendProof, verifyAuthorization } from '#server/kernel/auth/authorization.ts'
import { isOutdated } from '#server/kernel/auth/outdated.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { activePerson, hasEnded, personClaims } from './claims.ts'

/** OpenID Connect Core, section 5.3, for this realm's JWT access tokens; a key-bound token needs its proof. */
export async function serveUserinfo(realm: Realm, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const refuse = (status: number, error: string, description: string) =>
    sendJson(
      res,
      status,
      { error, error_description: description },
      {
        ...corsHeaders(req),
        'www-authenticate': `${schemeOf(req)} realm="${realm.url}", error="${error}", error_description="${description}"`,
      },
    )
  const verified = await verify(realm, req).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'unauthorized') return undefined
    throw error
  })
  if (verified === undefined || verified.token.issuer !== issuerOf(realm.slug))
    return refuse(401, 'invalid_token', 'the access token is missing, expired or invalid')
  const { token, claims } = verified
  const person = await activePerson(realm, token.subject)
  if ((person !== undefined && isOutdated(person, token)) || (await hasEnded(realm, token)))
    return refuse(401, 'invalid_token', 'the access token is missing, expired or invalid')
  const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : []
  if (!scopes.includes('openid') || person === undefined)
    return refuse(403, 'insufficient_scope', 'the access token does not belong to a person or lacks the scope openid')
  const { sub, tenant, name, preferred_username, email } = personClaims(realm, token.subject, person)
  const answer = {
    sub,
    tenant,
    ...(scopes.includes('profile') ? { name, preferred_username } : {}),
    ...(scopes.includes('email') ? { email } : {}),
  }
  sendJson(res, 200, answer, corsHeaders(req))
}

const schemeOf = ({ headers }: IncomingMessage): string =>
  /^dpop /i.test(headers.authorization ?? '') ? 'DPoP' : 'Bearer'

async function verify(realm: Realm, { headers, method = 'GET', url = '' }: IncomingMessage) {
  const presentation = await verifyAuthorization({
    authorization: headers.authorization ?? '',
    dpop: headers.dpop?.toString(),
    request: { method, path: url.split('?', 1)[0] ?? '', origin: runtime().config.authUrl },
  })
  if (presentation.proof !== undefined) await spendProof(realm.tenantId, presentation.proof)
  return presentation
}
