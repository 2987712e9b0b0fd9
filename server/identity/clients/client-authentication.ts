import type { IncomingMessage } from 'node:http'
import { findClient } from '#server/identity/store.ts'
import type { Guard } from '#server/identity/strangers/guard.ts'
import { countOutcome } from '#server/identity/strangers/outcomes.ts'
import { proved, tryClient } from '#server/identity/strangers/try-client.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { secretMatches } from './clients.ts'

type Presented = { clientId: string; secret: string }

/**
 * The service account that authenticated with this form (RFC 6749, section 2.3.1, Basic or form); undefined if none
 * did. Throws RateLimited and OverloadError.
 */
export async function authenticateClient(
  guard: Guard,
  req: IncomingMessage,
  form: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const { authorization } = req.headers
  const presented = authorization === undefined ? inForm(form) : inHeader(authorization, form)
  if (presented === undefined) return undefined
  const { tenantId } = guard
  const { clientId, secret } = presented
  const authenticated = await tryClient(guard, req, clientId, async () => {
    const client = await runtime().database.readInTenant(tenantId, (tx) => findClient(tx, tenantId, clientId))
    return client?.kind === 'service' && (await secretMatches(tenantId, clientId, secret))
  })
  if (!authenticated) {
    countOutcome(tenantId, 'client', 'refused')
    return undefined
  }
  proved(guard, req, clientId)
  return clientId
}

function inForm(form: ReadonlyMap<string, string>): Presented | undefined {
  const clientId = form.get('client_id')
  const secret = form.get('client_secret')
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret }
}

function inHeader(authorization: string, form: ReadonlyMap<string, string>): Presented | undefined {
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  // Only one authentication method per request.
  if (encoded === undefined || form.has('client_secret')) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) return undefined
  const clientId = formDecoded(text.slice(0, colon))
  const secret = formDecoded(text.slice(colon + 1))
  if (clientId === undefined || secret === undefined) return undefined
  return (form.get('client_id') ?? clientId) === clientId ? { clientId, secret } : undefined
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
