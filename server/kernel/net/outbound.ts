import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { whyPortBlocked } from '#lib/text/blocked-port.ts'
import { whyNotPublic } from './address-class.ts'
import { isAllowedPrivate, type PrivateHosts } from './private-hosts.ts'

/** The address may not be called, and nothing was sent. `message` is for the caller and contains no IP address. */
export class AddressRefused extends Error {}

/** The peer could not be reached: no connection, so nothing was sent. */
export class NotReached extends Error {}

/** The response was larger than allowed. */
export class AnswerTooLarge extends Error {}

type Pinned = { address: string; family: number }
type Resolve = (host: string) => Promise<Pinned[]>

export type Outbound = {
  /** Like fetch, but never to a non-public address, and redirects are returned, not followed. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

const connectMs = 10_000

/** Errors of opening a connection, TLS included: nothing of the request was sent. */
const ofConnecting = new WeakSet<Error>()

/**
 * Calls to addresses from a manifest. A host is resolved once. Each of its addresses must be public or allowed by the
 * operator, and the connection uses exactly these addresses, so that a second DNS answer changes nothing. `maxBytes`
 * limits one response's decoded body; `idleMs` is the longest silence of the peer.
 */
export function openOutbound({
  allowed,
  maxBytes,
  idleMs,
  resolve = resolveAll,
}: {
  allowed: PrivateHosts
  maxBytes: number
  idleMs: number
  resolve?: Resolve
}): Outbound {
  const agents = new Map<string, Promise<Agent>>()
  const agentFor = (url: URL): Promise<Agent> => {
    const known = agents.get(url.origin)
    if (known !== undefined) return known
    const made = pinnedAgent(url, allowed, idleMs, resolve)
    agents.set(url.origin, made)
    return made
  }
  return {
    async fetch(address, init = {}) {
      const url = new URL(address)
      const dispatcher = await agentFor(url)
      const { body, method, headers, signal } = init
      if (body !== undefined && body !== null && typeof body !== 'string')
        throw new TypeError('The body of an outbound request must be text.')
      const answer = await undiciFetch(url, {
        dispatcher,
        redirect: 'manual',
        headers: [...new Headers(headers)],
        ...(method === undefined ? {} : { method }),
        ...(typeof body === 'string' ? { body } : {}),
        ...(signal === undefined ? {} : { signal }),
      }).catch((error: unknown) => {
        if (!isOfConnecting(error)) throw error
        throw new NotReached(`${url.host} could not be reached (${codeOf(error) ?? 'no connection'}).`, {
          cause: error,
        })
      })
      return new Response(bodyOf(answer, maxBytes, signal), {
        status: answer.status,
        statusText: answer.statusText,
        headers: [...answer.headers],
      })
    },
    async close() {
      const open = await Promise.allSettled(agents.values())
      await Promise.all(open.map((agent) => (agent.status === 'fulfilled' ? agent.value.destroy() : undefined)))
    },
  }
}

const hostIn = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/**
 * Why an address can never be called, as far as it shows that itself: a name may resolve to something else at each call.
 * Undefined if nothing is known against it.
 */
export function whyNotCalled(url: URL, allowed: PrivateHosts): string | undefined {
  if (url.username !== '' || url.password !== '') return 'The address must not contain a user or password.'
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `The protocol ${url.protocol} is not supported. Use https.`
  const closed = whyPortBlocked(url)
  if (closed !== undefined) return closed
  const host = hostIn(url)
  const isName = isIP(host) === 0
  const mayBeAllowed = isName
    ? allowed.names.has(host) || allowed.networks.rules.length > 0
    : isAllowedPrivate(allowed, host, host)
  if (mayBeAllowed) return undefined
  if (url.protocol === 'http:') return withoutTls(url)
  return isName || whyNotPublic(host) === undefined ? undefined : notPublic(url)
}

const withoutTls = ({ host }: URL) => `${host} must be called with https.`
const notPublic = ({ host }: URL) => `${host} does not resolve to a public address.`

/** Throws AddressRefused, or NotReached if the name can't be resolved. */
async function pinnedAgent(url: URL, allowed: PrivateHosts, idleMs: number, resolve: Resolve): Promise<Agent> {
  const flaw = whyNotCalled(url, allowed)
  if (flaw !== undefined) throw new AddressRefused(flaw)
  const host = hostIn(url)
  const addresses = await resolve(host)
  const opened = addresses.every(({ address }) => isAllowedPrivate(allowed, host, address))
  // Without TLS only where the operator has allowed the network.
  if (url.protocol === 'http:' && !opened) throw new AddressRefused(withoutTls(url))
  for (const { address } of addresses)
    if (!isAllowedPrivate(allowed, host, address) && whyNotPublic(address) !== undefined)
      throw new AddressRefused(notPublic(url))
  const connect = buildConnector({
    allowH2: false,
    timeout: connectMs,
    lookup: (_host, options, callback) => {
      if (options.all === true) callback(null, addresses)
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4)
    },
  })
  return new Agent({
    allowH2: false,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    connect: (options, callback) =>
      connect(options, (...answer) => {
        if (answer[0] !== null) ofConnecting.add(answer[0])
        callback(...answer)
      }),
  })
}

async function resolveAll(host: string): Promise<Pinned[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  try {
    const found = await lookup(host, { all: true, verbatim: true })
    if (found.length > 0) return found
  } catch (cause) {
    throw new NotReached(`${host} could not be resolved.`, { cause })
  }
  throw new NotReached(`${host} could not be resolved.`)
}

function isOfConnecting(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (ofConnecting.has(at)) return true
  return false
}

function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return at.code
  return undefined
}

/** Of both fetches. */
type Body = { getReader(): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'> }

/** The body of an answer, null where it must not have one, with the limits of `limited`. */
export const bodyOf = (
  { status, body }: { status: number; body: Body | null },
  maxBytes: number,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> | null =>
  body === null || [204, 205, 304].includes(status) ? null : limited(body, maxBytes, signal)

/**
 * Passes a body on. Fails with AnswerTooLarge beyond `maxBytes`, and when `signal` is aborted: fetch may forget that once it has given
 * its answer away.
 */
function limited(body: Body, maxBytes: number, signal: AbortSignal | null | undefined): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const end = () => void reader.cancel(signal?.reason).catch(() => undefined)
  signal?.addEventListener('abort', end, { once: true })
  let bytes = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (signal?.aborted === true) return controller.error(signal.reason)
      if (done) {
        signal?.removeEventListener('abort', end)
        return controller.close()
      }
      bytes += value.byteLength
      if (bytes <= maxBytes) return controller.enqueue(value)
      await reader.cancel()
      controller.error(new AnswerTooLarge(`The response has more than ${maxBytes} bytes.`))
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
