import { errors, Provider } from 'oidc-provider'
import { RateLimited, type Standing } from '#server/kernel/rate/budget.ts'
import { rateHeaders, retryHeaders } from '#server/kernel/rate/headers.ts'
import { takeToken } from '#server/kernel/rate/limits.ts'

/** The OAuth error of a 429; RFC 6749 does not define one. */
class TooManyRequests extends errors.OIDCProviderError {
  constructor(cause: RateLimited) {
    super(429, 'temporarily_unavailable', { cause })
    this.error_description = cause.message
  }
}

// Requests that have been counted: the library may look a client up more than once.
const counted = new WeakSet<object>()

/**
 * Counts a request to the token endpoint that names this client, by source address: guesses of a stranger use up the
 * limit of their own address, not the client's. (Behind a proxy all addresses are the proxy's.) Ignores other
 * endpoints. Throws 429.
 */
export async function limitByAddress(tenantId: string, clientId: string): Promise<void> {
  const { ctx } = Provider
  if (ctx?.oidc.route !== 'token' || counted.has(ctx.req)) return
  counted.add(ctx.req)
  await spend(takeToken(tenantId, clientId, ctx.req.socket.remoteAddress ?? ''))
}

/** Counts a request that the client has authenticated, from any address. Throws 429. */
export async function limitByClient(tenantId: string, clientId: string): Promise<void> {
  if (Provider.ctx?.oidc.route === 'token') await spend(takeToken(tenantId, clientId))
}

async function spend(taken: Promise<Standing>): Promise<void> {
  try {
    Provider.ctx?.set(rateHeaders(await taken))
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error
    Provider.ctx?.set({ ...rateHeaders(error.standing), ...retryHeaders(error, error.status) })
    throw new TooManyRequests(error)
  }
}
