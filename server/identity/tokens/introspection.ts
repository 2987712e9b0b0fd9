import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#lib/errors.ts'
import { authenticateClient } from '#server/identity/clients/client-authentication.ts'
import { FormError, readForm } from '#server/identity/form-body.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { sendJson } from '#server/identity/respond.ts'
import type { Guard } from '#server/identity/strangers/guard.ts'
import { verifyAccessToken } from '#server/kernel/auth/bearer.ts'
import { isOutdated } from '#server/kernel/auth/outdated.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { RateLimited } from '#server/kernel/rate/budget.ts'
import { rateHeaders, retryHeaders } from '#server/kernel/rate/headers.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import { activePerson, activeServiceAccount, hasEnded } from './claims.ts'

/**
 * RFC 7662 for this realm's JWT access tokens, for its service accounts. Any other token (of another realm, a refresh
 * token, of an inactive member) is reported as not active.
 */
export async function serveIntrospection(
  { realm, guard }: { realm: Realm; guard: Guard },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const form = await readForm(req).catch((error: unknown) => {
    if (error instanceof FormError) return error
    throw error
  })
  if (form instanceof FormError)
    return sendJson(res, form.status, { error: 'invalid_request', error_description: form.message })
  let client: string | undefined
  try {
    client = await authenticateClient(guard, req, form)
  } catch (error) {
    if (error instanceof RateLimited)
      return sendJson(res, 429, busy(error.message), {
        ...rateHeaders(error.standing),
        ...retryHeaders(error, error.status),
      })
    if (error instanceof OverloadError) return sendJson(res, 503, busy(error.message), { 'retry-after': '2' })
    throw error
  }
  if (client === undefined) {
    const body = { error: 'invalid_client', error_description: 'client authentication failed' }
    return sendJson(res, 401, body, { 'www-authenticate': `Basic realm="${realm.url}"` })
  }
  const token = form.get('token')
  if (token === undefined)
    return sendJson(res, 400, { error: 'invalid_request', error_description: 'the token is missing' })
  sendJson(res, 200, await introspect(realm, token))
}

const busy = (message: string) => ({ error: 'temporarily_unavailable', error_description: message })

async function introspect(realm: Realm, compact: string): Promise<object> {
  const verified = await verifyAccessToken(compact).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'unauthorized') return undefined
    throw error
  })
  if (verified === undefined || verified.token.issuer !== issuerOf(realm.slug)) return { active: false }
  const { token, claims } = verified
  const holder = (await activePerson(realm, token.subject)) ?? (await activeServiceAccount(realm, token.subject))
  if (holder === undefined || isOutdated(holder, token) || (await hasEnded(realm, token))) return { active: false }
  return {
    ...claims,
    active: true,
    username: holder.username,
    token_type: claims.cnf === undefined ? 'Bearer' : 'DPoP',
  }
}
