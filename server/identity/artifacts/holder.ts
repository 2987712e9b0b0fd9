import type { IncomingMessage } from 'node:http'
import { Provider } from 'oidc-provider'
import type { JsonObject } from '#lib/json.ts'
import { laneOf } from '#server/identity/strangers/turns.ts'
import { limitByPerson } from '#server/identity/tokens/token-rate.ts'
import { currentClient } from '#server/kernel/net/client-address.ts'
import { lookUpInTurn } from '#server/kernel/rate/lookups.ts'

/** What only a person who has signed in can present; anyone can begin an interaction. */
const provingModels = new Set(['AuthorizationCode', 'RefreshToken'])

const holders = new WeakSet<IncomingMessage>()

/**
 * Reads or writes what the identity provider stores for a request, once it is the caller's turn: anyone can begin a sign-in or
 * present an invented code. A request that has presented a code or a token no longer waits behind strangers. Throws
 * OverloadError.
 */
export function inTurnOfCaller<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  const client = currentClient()
  // Housekeeping.
  if (client === undefined) return work()
  const req = Provider.ctx?.req
  const standing = req !== undefined && holders.has(req) ? 'place' : 'stranger'
  return lookUpInTurn(laneOf(standing, tenantId, client, 'artifact'), work)
}

/**
 * Notes that a request presents a code or a refresh token that was issued. Its person's tokens are counted here, before the
 * library uses it up: a request beyond the limit can be repeated later. Throws 429.
 */
export async function admitHolder(tenantId: string, model: string, { accountId }: JsonObject): Promise<void> {
  const { ctx } = Provider
  if (ctx === undefined || !provingModels.has(model) || typeof accountId !== 'string') return
  holders.add(ctx.req)
  await limitByPerson(tenantId, accountId)
}
