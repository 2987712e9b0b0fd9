import type { IncomingMessage, ServerResponse } from 'node:http'
import { FormError, readBody } from '#server/identity/form-body.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { sendJson } from '#server/identity/respond.ts'
import type { Guard } from '#server/identity/strangers/guard.ts'
import { takeRegistration } from '#server/identity/strangers/try-client.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { clientsMayRegister } from '#server/kernel/auth/realm-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { RateLimited } from '#server/kernel/rate/budget.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { ClientMetadata, foreignClient, renews } from './client-metadata.ts'
import { registeredPrefix } from './foreign-clients.ts'
import {
  deleteUnusedClients,
  findRegisteredClient,
  insertRegisteredClient,
  lockRegistrations,
  registrationsInHour,
  setClientUse,
} from './registered-client-store.ts'

/** Below the realm. */
export const registrationPath = '/clients-registrations/openid-connect'

const maxBytes = 5 * 1024
const mostInHour = 20

type RefusalCode = 'invalid_client_metadata' | 'invalid_redirect_uri' | 'temporarily_unavailable' | 'not_found'

class Refusal extends Error {
  readonly status: number
  readonly code: RefusalCode
  readonly headers: Record<string, string>
  constructor(status: number, code: RefusalCode, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** Whether a tenant lets clients register, now. Anyone can ask, so it is read once it is the caller's turn. Throws OverloadError. */
export const isRegistrationOn = ({ tenantId }: { tenantId: string }): Promise<boolean> =>
  lookUpForStranger('client-registration', () =>
    runtime().database.inTenant(tenantId, (tx) => clientsMayRegister(tx, tenantId)),
  )

/**
 * Registers a client of another vendor (RFC 7591), where the tenant lets clients register. Anyone can call it. Throws
 * OverloadError.
 */
export async function serveRegistration(
  { realm, guard }: { realm: Realm; guard: Guard },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    if (!(await isRegistrationOn(realm))) throw new Refusal(404, 'not_found', 'Page not found.')
    await takeRegistration(guard.tenantId, req)
    sendJson(res, 201, await register(realm, await readMetadata(req)))
  } catch (error) {
    const refusal = refusalOf(error)
    const { status, code, message, headers } = refusal
    sendJson(res, status, { error: code, error_description: message }, headers)
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof FormError) return new Refusal(error.status, 'invalid_client_metadata', error.message)
  if (error instanceof RateLimited) return tooMany(error.message, error.standing.resetSeconds)
  throw error
}

const tooMany = (message: string, seconds: number): Refusal =>
  new Refusal(429, 'temporarily_unavailable', message, { 'retry-after': String(seconds) })

async function readMetadata(req: IncomingMessage): Promise<ClientMetadata> {
  // A page of another website can send any other type without a question to this server.
  const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new Refusal(415, 'invalid_client_metadata', 'The body must be JSON.')
  const { success, data, error } = ClientMetadata.safeParse(parse((await readBody(req, maxBytes)).toString('utf8')))
  if (success) return data
  const [issue] = error.issues
  const path = issue?.path.join('.') ?? ''
  throw new Refusal(
    400,
    issue?.path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    path === '' ? (issue?.message ?? '') : `${path}: ${issue?.message}`,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'invalid_client_metadata', 'The body is not valid JSON.')
  }
}

/** The answer of RFC 7591, section 3.2.1: what was registered, which leaves out what has no effect here. */
async function register({ tenantId, externalId }: Realm, metadata: ClientMetadata) {
  const clientId = `${registeredPrefix}${newId()}`
  const { client_name: name, redirect_uris: redirectUris } = metadata
  const row = { clientId, redirectUris, renews: renews(metadata) }
  const registeredAt = await runtime().database.inTenant(tenantId, async (tx) => {
    await lockRegistrations(tx, tenantId)
    const { count, seconds } = await registrationsInHour(tx, tenantId)
    if (count >= mostInHour)
      throw tooMany('Too many clients registered here in the last hour. Try again later.', seconds)
    const at = await insertRegisteredClient(tx, { ...row, tenantId, name: name ?? null })
    await appendAudit(
      tx,
      { id: tenantId, externalId },
      {
        actor: systemActor,
        action: 'client.registered',
        resource: { type: 'client', id: clientId },
        details: { name: name ?? null, redirectUris },
      },
    )
    return at
  })
  return { ...foreignClient({ ...row, name }), client_id_issued_at: Math.floor(registeredAt.getTime() / 1000) }
}

/** The client for the identity provider's library; undefined also while the tenant does not let clients register. */
export async function registeredClient(tx: Transaction, tenantId: string, clientId: string) {
  if (!(await clientsMayRegister(tx, tenantId))) return undefined
  const row = await findRegisteredClient(tx, tenantId, clientId)
  if (row === undefined) return undefined
  const { name, redirectUris, renews: mayRenew } = row
  return foreignClient({
    clientId,
    name: name ?? undefined,
    redirectUris: ClientMetadata.shape.redirect_uris.parse(redirectUris),
    renews: mayRenew,
  })
}

/** Notes that a registered client gets a token: one that is not used for 30 days ends. */
export const noteClientUse = (tenantId: string, clientId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => setClientUse(tx, tenantId, clientId))

export const purgeClients = (tenantId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => deleteUnusedClients(tx, tenantId))
