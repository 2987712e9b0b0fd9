import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Guard } from '#server/identity/strangers/guard.ts'
import { lookUpClient, takeDocument, tryClient } from '#server/identity/strangers/try-client.ts'
import { RateLimited, type Standing } from '#server/kernel/rate/budget.ts'
import { rateHeaders, retryHeaders } from '#server/kernel/rate/headers.ts'
import { takeToken } from '#server/kernel/rate/limits.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'

/** The OAuth error of a 429 or 503; RFC 6749 does not define one. */
class TemporarilyUnavailable extends errors.OIDCProviderError {
  constructor(status: 429 | 503, cause: Error) {
    super(status, 'temporarily_unavailable', { cause })
    this.error_description = cause.message
    // Otherwise the library reports a 503 as a failure of its own.
    this.expose = true
  }
}

/** The endpoints at which a client proves itself, or a grant that was given to it. */
const proving = new Set(['token', 'revocation'])

type LookUp = typeof tryClient

/** Looks up the client that a request of the library names, within the shares of strangers. Throws 429 and 503. */
export const findInTurn = <T>(guard: Guard, clientId: string, find: () => Promise<T>): Promise<T> =>
  inTurn(
    Provider.ctx !== undefined && proving.has(Provider.ctx.oidc.route) ? tryClient : lookUpClient,
    guard,
    clientId,
    find,
  )

/** Compares the secret that a request of the library presents. Throws 503. */
export const compareInTurn = <T>(guard: Guard, clientId: string, compare: () => Promise<T>): Promise<T> =>
  inTurn(lookUpClient, guard, clientId, compare)

async function inTurn<T>(lookUp: LookUp, guard: Guard, clientId: string, work: () => Promise<T>): Promise<T> {
  const { ctx } = Provider
  // The sign-in form, whose interaction exists already.
  if (ctx === undefined) return await work()
  return await lookUp(guard, ctx.req, clientId, work).catch((error: unknown) => {
    if (error instanceof RateLimited) return refuse(error)
    if (!(error instanceof OverloadError)) throw error
    ctx.set('retry-after', '2')
    throw new TemporarilyUnavailable(503, error)
  })
}

/** Counts a token for a client that has proved itself, from any address. Throws 429. */
export const limitByClient = (tenantId: string, clientId: string): Promise<void> =>
  spend(() => takeToken(tenantId, `token/${clientId}`))

/** Counts tokens for a person, in any browser. Throws 429. */
export const limitByPerson = (tenantId: string, subject: string): Promise<void> =>
  spend(() => takeToken(tenantId, `token-of-person/${subject}`))

async function spend(take: () => Promise<Standing>): Promise<void> {
  const { ctx } = Provider
  if (ctx?.oidc.route !== 'token') return
  try {
    ctx.set(rateHeaders(await take()))
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error
    refuse(error)
  }
}

function refuse(error: RateLimited): never {
  Provider.ctx?.set({ ...rateHeaders(error.standing), ...retryHeaders(error, error.status) })
  throw new TemporarilyUnavailable(429, error)
}

/** Whether the library may read the document of a client that a request names. Throws 429. */
export async function mayFetchDocument(tenantId: string, ctx: KoaContextWithOIDC | undefined): Promise<boolean> {
  // The question to a person, whose request has read the document before.
  if (ctx === undefined) return true
  await takeDocument(tenantId, ctx.req).catch((error: unknown) => {
    if (error instanceof RateLimited) refuse(error)
    throw error
  })
  return true
}
