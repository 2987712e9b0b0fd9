import type { IncomingMessage } from 'node:http'
import type { errors, Provider } from 'oidc-provider'
import { clientOf } from '#server/kernel/net/client-address.ts'
import { RateLimited } from '#server/kernel/rate/budget.ts'
import { strangerShares } from '#server/kernel/rate/limits.ts'
import { lookUpInTurn } from '#server/kernel/rate/lookups.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import type { Guard } from './guard.ts'
import { countOutcome } from './outcomes.ts'
import { laneOf } from './turns.ts'

/** The share of each request that was counted. A request may look its client up more than once. */
const counted = new WeakMap<IncomingMessage, { giveBack(): void }>()

/**
 * Looks a client up for a caller who has not proved it yet, once it is the caller's turn. Attempts from an address
 * without a recent success of this client are counted there first, whichever clients they name, and given back by
 * proved(). A client's secret can't be guessed, so nothing that strangers do elsewhere stops it. Throws RateLimited and
 * OverloadError.
 */
export async function tryClient<T>(
  guard: Guard,
  req: IncomingMessage,
  clientId: string,
  lookUp: () => Promise<T>,
): Promise<T> {
  const { tenantId, places } = guard
  const client = clientOf(req)
  const account = guard.accountOf('client', clientId)
  const recalled = places.recall(account, client)
  const share = `client-address/${client.group}`
  try {
    const spent = strangerShares().spent(tenantId, share)
    if (recalled === false && spent !== undefined && !counted.has(req)) throw new RateLimited(spent)
    const standing = recalled === true ? 'place' : 'stranger'
    return await lookUpInTurn(laneOf(standing, tenantId, client, account), async () => {
      if (!counted.has(req) && !(await places.isKnown(account, client))) {
        const taken = await strangerShares().take(tenantId, share)
        if ('spent' in taken) throw new RateLimited(taken.spent)
        counted.set(req, taken)
      }
      return await lookUp()
    })
  } catch (error) {
    if (error instanceof RateLimited) countOutcome(tenantId, 'client', 'throttled')
    if (error instanceof OverloadError) countOutcome(tenantId, 'client', 'overloaded')
    throw error
  }
}

/** What is looked up for a request that names a client, at no cost to its address. Throws OverloadError. */
export function lookUpClient<T>(
  { tenantId, places, accountOf }: Guard,
  req: IncomingMessage,
  clientId: string,
  lookUp: () => Promise<T>,
): Promise<T> {
  const client = clientOf(req)
  const account = accountOf('client', clientId)
  const standing = places.recall(account, client) === true ? 'place' : 'stranger'
  return lookUpInTurn(laneOf(standing, tenantId, client, account), lookUp)
}

/** The request has proved its client, or a grant that was given to it. */
export function proved(guard: Guard, req: IncomingMessage, clientId: string): void {
  counted.get(req)?.giveBack()
  counted.delete(req)
  guard.places.note(guard.accountOf('client', clientId), clientOf(req))
  countOutcome(guard.tenantId, 'client', 'accepted')
}

/** Counts what the provider's endpoints accept and refuse. */
export function watchClients(provider: Provider, guard: Guard): void {
  provider.on('grant.success', ({ req, oidc }) => {
    if (oidc.client !== undefined) proved(guard, req, oidc.client.clientId)
  })
  const refuse = (_ctx: unknown, { status }: errors.OIDCProviderError) => {
    // The others are counted where they are thrown.
    if (status < 429) countOutcome(guard.tenantId, 'client', 'refused')
  }
  provider.on('grant.error', refuse)
  provider.on('revocation.error', refuse)
}

/**
 * Counts an address of a client's document that this server is asked to read, by the address of the caller: anyone can name
 * any document. Throws RateLimited.
 */
export async function takeDocument(tenantId: string, req: IncomingMessage): Promise<void> {
  await takeShare(tenantId, `client-document/${clientOf(req).group}`)
}

/** Counts a client that registers itself, by the address of the caller. Throws RateLimited. */
export async function takeRegistration(tenantId: string, req: IncomingMessage): Promise<void> {
  await takeShare(tenantId, `client-registration/${clientOf(req).group}`)
}

async function takeShare(tenantId: string, share: string): Promise<void> {
  const taken = await strangerShares().take(tenantId, share)
  if ('spent' in taken) throw new RateLimited(taken.spent)
}
