import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { applyWSSHandler } from '@trpc/server/adapters/ws'
import { WebSocketServer } from 'ws'
import { admitCaller } from '#server/kernel/auth/admit.ts'
import { watchCaller } from '#server/kernel/auth/watch.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { asTrpcError, type CallContext } from '#server/kernel/trpc.ts'
import { appRouter } from './router.ts'

const maxPayloadBytes = 64 * 1024
/**
 * Private close codes (RFC 6455, section 7.4.2), which tell the client why. It opens the next socket with a fresh
 * token.
 */
const closeCodes = { tokenExpired: 4401, accessChanged: 4403 }

/**
 * The socket at `/v1`: the same router, with the token in the connection parameters. It closes when the token expires
 * and when the membership is suspended, removed or loses a role.
 */
export function createSocket() {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxPayloadBytes, perMessageDeflate: false })
  const handler = applyWSSHandler({
    wss: server,
    router: appRouter,
    keepAlive: { enabled: true, pingMs: 20_000, pongWaitMs: 10_000 },
    async createContext({ info, req, res }): Promise<CallContext> {
      try {
        const caller = await admitCaller({
          authorization: info.connectionParams?.authorization ?? req.headers.authorization,
          dpop: info.connectionParams?.dpop ?? one(req.headers.dpop),
          // The method and path that a socket's proof has to name; its first message is not an HTTP request.
          request: { method: 'GET', path: '/v1' },
          apiKey: req.headers['x-svc-api-key']?.toString(),
          tenantExternalId: named(info.connectionParams, req, 'tenantExternalId', 'x-svc-tenant-external-id'),
          tenantId: named(info.connectionParams, req, 'tenantId', 'x-svc-tenant-id'),
          requestId: newId(),
        })
        const stop = watchCaller(caller, ({ code, message }) =>
          res.close(code === 'unauthorized' ? closeCodes.tokenExpired : closeCodes.accessChanged, message),
        )
        res.once('close', stop)
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
    close() {
      handler.broadcastReconnectNotification()
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
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
function named(
  given: Readonly<Record<string, string | undefined>> | null,
  { headers }: IncomingMessage,
  parameter: string,
  header: string,
): string | undefined {
  const values = new Set([given?.[parameter], given?.[header]].filter((value) => value !== undefined))
  return values.size === 0 ? one(headers[header]) : [...values].join(', ')
}

/** A repeated header counts as one joined value, which then names no tenant. */
const one = (header: string | string[] | undefined): string | undefined => header?.toString()
