import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, errorStatus, isRetryable } from '#lib/errors.ts'
import { newId } from '#server/kernel/ids.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { rateHeaders } from '#server/kernel/rate/headers.ts'
import { unspentCalls } from '#server/kernel/rate/limits.ts'
import { type ArrivalLimits, limitArrival } from './arrival.ts'
import { healthDuring, type Phase } from './health.ts'
import { closeGently, linger } from './linger.ts'
import { barePolicy, fixedHeaders } from './shell/policy.ts'

export type Handler = (req: IncomingMessage, res: ServerResponse) => unknown
export type Routes = {
  request: Handler
  /** Handles an upgrade, or returns the status of the refusal. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): number | undefined
}

export type Front = {
  /** The open port. */
  port: number
  /** From here on requests are answered by these; before, with 503. */
  answerWith(routes: Routes): void
  /** What /v1/health/ready reports until requests are answered. */
  enter(phase: Phase): void
  /** From here on requests are answered with 503. Resolves when those under way have ended; after `ms` it ends them. */
  drain(ms: number): Promise<void>
  close(): Promise<void>
}

/** How long an answer may take to be sent when the port closes. */
const CLOSE_MS = 2000

type Refusal = { code: ErrorCode; message: string; headers?: Record<string, string> }

const notHttp: Refusal = { code: 'bad_request', message: 'Not a valid HTTP request.' }
const tooSlow: Refusal = { code: 'request_timeout', message: 'The request took too long to arrive.' }
const unavailable: Refusal = {
  code: 'unavailable',
  message: 'The server is starting or stopping. Try again in a moment.',
  headers: { 'retry-after': '1' },
}
/** Of upgrades, by the status that the routes return. */
const refusedUpgrades: Record<number, Refusal> = {
  403: { code: 'forbidden', message: 'A socket can’t be opened from a page of another origin.' },
  404: { code: 'not_found', message: 'Upgrades are possible only at /v1.' },
}

/** What Node's parser refused. A request line that is too long is one that has not ended where the limit is. */
function refusalOfParser({ code, rawPacket, bytesParsed = 0 }: ParserError): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow
  if (code !== 'HPE_HEADER_OVERFLOW') return notHttp
  const read = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? ''
  return /^[A-Z]+ [^\r\n]*$/.test(read)
    ? { code: 'address_too_long', message: 'The address is too long. Send the input of a query as the body of a POST.' }
    : { code: 'headers_too_large', message: 'The headers are larger than 16 KiB.' }
}

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

type PortOptions = { https: boolean; rateLimitPerMinute: number; arrival?: ArrivalLimits }

/**
 * Opens the port and refuses requests that no part of the server may see: a target that is not a path, a missing host,
 * CONNECT, anything that is not HTTP, and upgrades that no route handles. Every refusal has the security headers, and a
 * refused socket is closed.
 */
export async function openPort(port: number, options: PortOptions): Promise<Front> {
  const arrival = options.arrival ?? wireLimits.arrival
  const headers = {
    ...fixedHeaders(options),
    'content-security-policy': barePolicy,
    'content-type': 'application/json',
    ...rateHeaders(unspentCalls(options)),
  }
  const answerOf = ({ code, message, headers: more }: Refusal) => {
    const requestId = newId()
    const body = JSON.stringify({ error: message, code, requestId, retryable: isRetryable(code) })
    const length = String(Buffer.byteLength(body))
    return { body, headers: { ...headers, ...more, 'x-request-id': requestId, 'content-length': length } }
  }
  let routes: Routes | undefined
  let phase: Phase = 'starting'
  const settings = {
    requireHostHeader: false,
    connectionsCheckingInterval: arrival.lookMs,
    shouldUpgradeCallback: asksForSocket,
  }
  const http = createServer(settings, (req, res) => {
    watchArrival(req, () => {
      // After a response has begun, a second one would be read as part of its body.
      if (res.headersSent || res.socket === null) req.destroy()
      else refuseSocket(req.socket, tooSlow)
    })
    const refusal = refusalOf(req)
    if (refusal !== undefined) return refuse(res, refusal)
    if (routes === undefined) return answerWithout(req, res)
    return routes.request(req, res)
  })
  const watchArrival = limitArrival(http, arrival)
  closeGently(http)
  const refuse = (res: ServerResponse, refusal: Refusal) => {
    const { headers, body } = answerOf(refusal)
    res.writeHead(errorStatus[refusal.code], headers).end(body)
  }
  const answerWithout = (req: IncomingMessage, res: ServerResponse) => {
    const health = healthDuring(phase, req)
    // The next request on this connection would be refused too.
    const close: Record<string, string> = phase === 'stopping' ? { connection: 'close' } : {}
    if (health === undefined) return refuse(res, { ...unavailable, headers: { ...unavailable.headers, ...close } })
    res.writeHead(health.status, { ...headers, ...health.headers, ...close }).end(health.body)
  }
  const refuseSocket = (socket: Duplex, refusal: Refusal) => {
    // Without a listener, a reset connection would end the process.
    socket.on('error', () => socket.destroy())
    const { headers, body } = answerOf(refusal)
    const lines = Object.entries({ ...headers, connection: 'close' })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const status = errorStatus[refusal.code]
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
    linger(socket)
  }
  const upgraded = new Set<Duplex>()
  http.on('upgrade', (req, socket, head) => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    const refusal =
      refusalOf(req) ?? (routes === undefined ? unavailable : upgradeRefusal(routes.upgrade(req, socket, head)))
    if (refusal !== undefined) refuseSocket(socket, refusal)
  })
  http.on('connect', (_req, socket) =>
    refuseSocket(socket, {
      code: 'method_not_allowed',
      message: 'This server is not a proxy.',
      headers: { allow: 'GET, HEAD, POST' },
    }),
  )
  http.on('checkExpectation', (_req, res) =>
    refuse(res, { code: 'expectation_failed', message: 'The only supported expectation is 100-continue.' }),
  )
  const answering = new Map<Duplex, ServerResponse>()
  http.on('request', ({ socket }, res) => {
    answering.set(socket, res)
    res.once('close', () => {
      if (answering.get(socket) === res) answering.delete(socket)
    })
  })
  http.on('clientError', (error: ParserError, socket) => {
    // During a response, a second one would be read as part of its body.
    if (!socket.writable || answering.has(socket)) socket.destroy()
    else refuseSocket(socket, refusalOfParser(error))
  })
  const opened = Promise.withResolvers<void>()
  http.once('error', opened.reject)
  http.listen(port, opened.resolve)
  await opened.promise
  http.off('error', opened.reject)
  const address = http.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    answerWith(given) {
      routes = given
    },
    enter(entered) {
      phase = entered
    },
    async drain(ms) {
      phase = 'stopping'
      routes = undefined
      const underWay = [...answering.values()]
      const cut = setTimeout(() => underWay.forEach((res) => void res.destroy()), ms)
      await Promise.all(underWay.map((res) => new Promise((resolve) => res.once('close', resolve))))
      clearTimeout(cut)
    },
    /** Cuts upgraded sockets, which do not end by themselves. Lets answers under way finish for two seconds, then cuts them. */
    close: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => http.closeAllConnections(), CLOSE_MS)
        http.close(() => {
          clearTimeout(cut)
          resolve()
        })
        http.closeIdleConnections()
        for (const socket of upgraded) socket.destroy()
      }),
  }
}

/**
 * An offer of any other protocol, such as `h2c`, is ignored and the request answered (RFC 9110, section 7.8): some clients make
 * one with each request.
 */
const asksForSocket = ({ headers }: IncomingMessage): boolean =>
  (headers.upgrade ?? '').split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket')

/**
 * `GET http://other.example/`, `OPTIONS *` and requests without a host do not name a resource of this server, and no name or
 * value in an address can contain U+0000.
 */
function refusalOf(req: IncomingMessage): Refusal | undefined {
  if (req.url?.startsWith('/') !== true)
    return { code: 'bad_request', message: 'The request must name a path of this server.' }
  if (req.url.includes('%00')) return { code: 'bad_request', message: 'An address can’t contain U+0000.' }
  // Node keeps the first of several, and a proxy may have chosen by the last (RFC 9112, section 3.2).
  if ((req.headersDistinct.host?.length ?? 0) > 1)
    return { code: 'bad_request', message: 'The header Host is there more than once.' }
  return req.headers.host === undefined ? { code: 'bad_request', message: 'The header Host is missing.' } : undefined
}

const upgradeRefusal = (status: number | undefined): Refusal | undefined =>
  status === undefined
    ? undefined
    : (refusedUpgrades[status] ?? { code: 'bad_request', message: 'Not a valid WebSocket handshake.' })
