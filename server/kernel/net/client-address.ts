import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { runtime } from '#server/kernel/runtime.ts'
import { type Address, isIn, type Network, parseAddress, type Source, sourceOf, textOf } from './address.ts'
import { forwardedHops, xForwardedForHops } from './forwarded.ts'

/** Where a request comes from. */
export type Client = Source & {
  address: string
  /** The address that the connection came from: the nearest proxy's, or the client's. `trusted`: it is in TRUSTED_PROXIES. */
  peer: { address: string; trusted: boolean }
}

const nowhere: Client = {
  address: 'unknown',
  group: 'unknown',
  network: 'unknown',
  peer: { address: 'unknown', trusted: false },
}

const known = new WeakMap<IncomingMessage, Client>()
/** Of connections whose peer is not a proxy of the operator: all their requests come from the peer. */
const ofConnections = new WeakMap<Socket, Client>()
const current = new AsyncLocalStorage<Client>()

/** The client of a request, behind the proxies that the operator trusts (TRUSTED_PROXIES). Computed once per request. */
export function clientOf(req: IncomingMessage): Client {
  const before = known.get(req)
  if (before !== undefined) return before
  const { config } = runtime()
  if (config.trustedProxies.length === 0 && isForwarded(req)) warnOnce()
  const client = ofConnections.get(req.socket) ?? clientOfRequest(req, config.trustedProxies)
  known.set(req, client)
  return client
}

function clientOfRequest({ socket, headers }: IncomingMessage, proxies: readonly Network[]): Client {
  // A link-local peer comes with the zone of this machine's interface.
  const peer = parseAddress((socket.remoteAddress ?? '').replace(/%.*$/, ''))
  // The address of a connection that has just ended is unknown.
  if (peer === undefined) return nowhere
  const client = clientBehind(peer, headers, proxies)
  if (!client.peer.trusted) ofConnections.set(socket, client)
  return client
}

function clientBehind(peer: Address, headers: IncomingHttpHeaders, proxies: readonly Network[]): Client {
  const address = clientAddress(peer, headers, proxies)
  return {
    address: textOf(address),
    ...sourceOf(address),
    peer: { address: textOf(peer), trusted: isIn(proxies, peer) },
  }
}

const isForwarded = ({ headers }: IncomingMessage): boolean =>
  headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined

let warned = false

/** Once in the life of a process, because any stranger can send such a header. */
function warnOnce(): void {
  if (warned) return
  warned = true
  runtime().log.warn(
    'a request has a Forwarded or X-Forwarded-For header, but TRUSTED_PROXIES is not set: everyone behind a proxy shares its address',
  )
}

/** Runs `work` so that currentClient() is the request's client in it and in everything that it awaits. */
export const withClient = <T>(req: IncomingMessage, work: () => T): T => current.run(clientOf(req), work)

export const currentClient = (): Client | undefined => current.getStore()

/**
 * The address that the nearest proxies, all of them trusted, name as their caller. Only a trusted peer is believed, and
 * only hops to the right of the first untrusted one: every other part of the headers may be the caller's own. If a hop is
 * hidden or malformed, or if the two headers differ, the address is that of the last trusted hop.
 */
export function clientAddress(peer: Address, headers: IncomingHttpHeaders, proxies: readonly Network[]): Address {
  if (!isIn(proxies, peer)) return peer
  const { forwarded, 'x-forwarded-for': list } = headers
  const hops = [
    ...(forwarded === undefined ? [] : [forwardedHops(forwarded)]),
    ...(list === undefined ? [] : [xForwardedForHops(list.toString())]),
  ]
  const [first = peer, ...others] = hops.map((one) => walk(peer, one ?? [], proxies))
  return others.every((other) => textOf(other) === textOf(first)) ? first : peer
}

function walk(peer: Address, hops: readonly (Address | undefined)[], proxies: readonly Network[]): Address {
  let last = peer
  for (const hop of hops.toReversed()) {
    if (hop === undefined) break
    last = hop
    if (!isIn(proxies, hop)) break
  }
  return last
}
