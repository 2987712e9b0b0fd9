import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { wireLimits } from '#server/kernel/limits.ts'
import { type ArrivalLimits, limitArrival } from './arrival.ts'
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
  /** From here on requests are answered with 503. Resolves when those under way have ended; after two seconds it ends them. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** How long a request under way may take to end when the server stops. */
const DRAIN_MS = 2000

const STATUS_OF: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/**
 * Opens the port and refuses requests that no part of the server may see: a target that is not a path, a missing host,
 * CONNECT, anything that is not HTTP, and upgrades that no route handles. Every refusal has the security headers, and a
 * refused socket is closed.
 */
export async function openPort(port: number, options: { https: boolean; arrival?: ArrivalLimits }): Promise<Front> {
  const arrival = options.arrival ?? wireLimits.arrival
  const headers = { ...fixedHeaders(options), 'content-security-policy': barePolicy }
  let routes: Routes | undefined
  const http = createServer({ requireHostHeader: false, connectionsCheckingInterval: arrival.lookMs }, (req, res) => {
    watchArrival(req, () => {
      // After a response has begun, a second one would be read as part of its body.
      if (res.headersSent || res.socket === null) req.destroy()
      else refuseSocket(req.socket, 408)
    })
    const status = refusalOf(req)
    if (status !== undefined) return refuse(res, status)
    if (routes === undefined) return refuse(res.setHeader('retry-after', '1'), 503)
    return routes.request(req, res)
  })
  const watchArrival = limitArrival(http, arrival)
  const refuse = (res: ServerResponse, status: number) => {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.writeHead(status, { 'content-length': 0 }).end()
  }
  const refuseSocket = (socket: Duplex, status: number) => {
    // Without a listener, a reset connection would end the process.
    socket.on('error', () => socket.destroy())
    const lines = Object.entries({ ...headers, 'content-length': '0', connection: 'close' })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.once('finish', () => socket.destroy())
    socket.resume().end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`)
  }
  const upgraded = new Set<Duplex>()
  http.on('upgrade', (req, socket, head) => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    const status = refusalOf(req) ?? (routes === undefined ? 503 : routes.upgrade(req, socket, head))
    if (status !== undefined) refuseSocket(socket, status)
  })
  http.on('connect', (_req, socket) => refuseSocket(socket, 405))
  http.on('checkExpectation', (_req, res) => refuse(res, 417))
  const answering = new Map<Duplex, ServerResponse>()
  http.on('request', ({ socket }, res) => {
    answering.set(socket, res)
    res.once('close', () => {
      if (answering.get(socket) === res) answering.delete(socket)
    })
  })
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // During a response, a second one would be read as part of its body.
    if (!socket.writable || answering.has(socket)) socket.destroy()
    else refuseSocket(socket, STATUS_OF[error.code ?? ''] ?? 400)
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
    async drain() {
      routes = undefined
      const underWay = [...answering.values()]
      const cut = setTimeout(() => underWay.forEach((res) => void res.destroy()), DRAIN_MS)
      await Promise.all(underWay.map((res) => new Promise((resolve) => res.once('close', resolve))))
      clearTimeout(cut)
    },
    /** Cuts upgraded sockets, which do not end by themselves. Lets answers under way finish for two seconds, then cuts them. */
    close: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => http.closeAllConnections(), DRAIN_MS)
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
 * `GET http://other.example/`, `OPTIONS *` and requests without a host do not name a resource of this server, and no name or
 * value in an address can contain U+0000.
 */
function refusalOf(req: IncomingMessage): number | undefined {
  const named = req.url?.startsWith('/') === true && !req.url.includes('%00')
  return named && req.headers.host !== undefined ? undefined : 400
}
