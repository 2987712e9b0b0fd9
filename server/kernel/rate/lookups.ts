import { currentClient } from '#server/kernel/net/client-address.ts'
import { createGate } from './turns.ts'

/**
 * Lookups for callers without a token: as many connections of the pool as they may use together. The second name of a lane is
 * the tenant.
 */
export const lookUpInTurn = createGate({ concurrent: 4, waiting: 200, most: { stranger: 3 } })

/** What anyone can request without naming an existing tenant. Each is one lane, because the names are unlimited in number. */
export type OpenLookup =
  | 'realms'
  | 'api-keys'
  | 'connection-tokens'
  | 'log-keys'
  | 'branding'
  | 'gateway-metadata'
  | 'client-registration'

/**
 * Reads the database for a request of an unknown caller, once it is its turn among networks and addresses. Strangers thus use
 * at most three connections. Throws OverloadError.
 */
export function lookUpForStranger<T>(what: OpenLookup, work: () => Promise<T>): Promise<T> {
  const { network, group } = currentClient() ?? { network: 'unknown', group: 'unknown' }
  return lookUpInTurn(['stranger', what, network, group], work)
}
