import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { applyWSSHandler } from '@trpc/server/adapters/ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { ApiError } from '#lib/errors.ts'
import { admitCaller } from '#server/kernel/auth/admit.ts'
import { watchCaller } from '#server/kernel/auth/watch.ts'
import { newId } from '#server/kernel/ids.ts'
import { requireText } from '#server/kernel/input.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { asTrpcError } from '#server/kernel/procedure-error.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { CallContext } from '#server/kernel/trpc.ts'
import { BoundedSocket } from './bounded-socket.ts'
import { appRouter } from './router.ts'

/**
 * Private close codes (RFC 6455, section 7.4.2), which tell the client why. It opens the next socket with a fresh
 * token.
 */
const closeCodes = { tokenExpired: 4401, accessChanged: 4403 }
/** RFC 6455, section 7.4.1: the server is going away. The client connects again, to another process. */
const goingAway = 1001

/**
 * The socket at `/v1`: the same router, with the token in the connection parameters. It closes if they do not arrive in time,
 * when the token expires, and when the membership is suspended, removed or loses a role.
 */
export function createSocket() {
  const strangers = new WeakMap<WebSocket, NodeJS.Timeout>()
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: wireLimits.socket.bytes,
    perMessageDeflate: false,
    WebSocket: BoundedSocket,
  })
  // The library waits for the parameters without a limit.
  server.on('connection', (client) => {
    const late = () => client.close(closeCodes.tokenExpired, 'The connection parameters have not arrived.')
    const timer = setTimeout(late, wireLimits.socket.credentialsMs)
    strangers.set(client, timer)
    client.once('close', () => clearTimeout(timer))
  })
  applyWSSHandler({
    wss: server,
    router: appRouter,
    keepAlive: { enabled: true, pingMs: 20_000, pongWaitMs: 10_000 },
    async createContext({ info, req, res }): Promise<CallContext> {
      // The parameters are there. To admit the caller may take longer.
      clearTimeout(strangers.get(res))
      try {
        const parameter = (name: string) => textIn(info.connectionParams, name)
        const caller = await admitCaller({
          authorization: parameter('authorization') ?? req.headers.authorization,
          dpop: parameter('dpop') ?? one(req.headers.dpop),
          // The method and path that a socket's proof has to name; its first message is not an HTTP request.
          request: { method: 'GET', path: '/v1' },
          apiKey: req.headers['x-svc-api-key']?.toString(),
          origin: req.headers.origin,
          tenantExternalId: tenantIn(info.connectionParams, req, 'tenantExternalId', 'x-svc-tenant-external-id'),
          tenantId: tenantIn(info.connectionParams, req, 'tenantId', 'x-svc-tenant-id'),
          requestId: newId(),
        })
        const stop = watchCaller(caller, ({ code, message }) =>
          res.close(code === 'unauthorized' ? closeCodes.tokenExpired : closeCodes.accessChanged, message),
        )
        res.once('close', stop)
        // It may have closed while the caller was admitted.
        if (res.readyState !== res.OPEN) stop()
        return { caller, socket: true, buffered: () => res.bufferedAmount }
      } catch (error) {
        throw asTrpcError(error)
      }
    },
  })
  return {
    /**
     * Handles upgrades of `/v1`; otherwise returns the status of the refusal. Refuses pages of other origins: browsers
     * do not send the token by themselves, but CORS does not apply to sockets.
     */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): number | undefined {
      const [path] = (request.url ?? '').split('?')
      if (path !== '/v1') return 404
      const { origin } = request.headers
      if (origin !== undefined && origin !== new URL(runtime().config.baseUrl).origin) return 403
      if (!isHandshake(request)) return 400
      server.handleUpgrade(request, socket, head, (client) => server.emit('connection', client, request))
      return undefined
    },
    /** Closes each socket in such a way that its client connects to another process. */
    leave() {
      for (const client of server.clients) client.close(goingAway, 'This process is stopping. Connect again.')
    },
    close() {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}

/** A connection parameter. The library passes on whatever the client has sent. Throws 400 unless it is a text. */
function textIn(parameters: unknown, name: string): string | undefined {
  const value: unknown = Object.hasOwn(Object(parameters), name) ? Reflect.get(Object(parameters), name) : undefined
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new ApiError('bad_request', `${name}: Must be a string.`)
  requireText(value, name)
  return value
}

/** RFC 6455, section 4.2.1. `ws` would refuse other requests without the product's headers. */
const isHandshake = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['sec-websocket-version'] === '13' &&
  /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')

/**
 * The tenant in the connection parameters, under either name, or else in the handshake. Parameters that name two tenants count
 * as one joined value, which then names none.
 */
function tenantIn(
  parameters: unknown,
  { headers }: IncomingMessage,
  parameter: string,
  header: string,
): string | undefined {
  const values = new Set([parameter, header].flatMap((name) => textIn(parameters, name) ?? []))
  return values.size === 0 ? one(headers[header]) : [...values].join(', ')
}

/** A repeated header counts as one joined value, which then names no tenant. */
const one = (header: string | string[] | undefined): string | undefined => header?.toString()
