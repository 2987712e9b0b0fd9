import { createMcpHandler } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import { GatewayInput } from '#lib/schemas/gateway.ts'
import { authorize } from '#server/kernel/auth/authorize.ts'
import { challengeFor } from '#server/kernel/auth/challenge.ts'
import { gatewayAt, gatewayMetadataUrl } from '#server/kernel/auth/gateway-address.ts'
import { readBody, refuseEncoded } from '#server/kernel/body.ts'
import { parametersOf } from '#server/kernel/input.ts'
import { scanJson } from '#server/kernel/json-budget.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { perform } from '#server/kernel/operation.ts'
import { takeCalls } from '#server/kernel/rate/limits.ts'
import { authenticated, declare, errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { placeOf, tellCanceled } from './canceled.ts'
import { isOfOpeningSession, sessionFor } from './capabilities.ts'
import { type Following, followingIn, followTasks } from './follow-tasks.ts'
import { releasedTools } from './released-tools.ts'
import type { Serving } from './serving.ts'
import { startCall } from './start-call.ts'
import { missingExtension, understandsTasks } from './tasks.ts'
import { toolServer } from './tool-server.ts'

/** One message or a batch of them. */
const JsonRpc = z.union([
  z.looseObject({ jsonrpc: z.literal('2.0') }),
  z.array(z.looseObject({ jsonrpc: z.literal('2.0') })),
])

/**
 * `/v1/mcp/<agent>/<server>`: the tools of a server that the agent's release allows, for any MCP client over streamable HTTP.
 * Without sessions: each request is authenticated, and each call is an execution.
 */
export const gateway = gatewayHandler('mcp.call')

/**
 * `/v1/mcp/t/<external id>/<agent>/<server>`: the same at an address that names the tenant, so that a client that was refused
 * learns where to sign in (RFC 9728). Also accepts the tokens for this address alone.
 */
export const tenantGateway = gatewayHandler('mcp.callForTenant', {
  tenantIn: (request) => addressOf(request)?.externalId,
  refused(error, requestId, request) {
    const response = errorResponse(error, requestId)
    const address = addressOf(request)
    if (response.status === 401 && address !== undefined)
      response.headers.set('www-authenticate', challengeFor(error, gatewayMetadataUrl(address)))
    return response
  },
})

function addressOf(request: Request) {
  const { pathname, search } = new URL(request.url)
  return gatewayAt(pathname, search)
}

function gatewayHandler(name: string, door?: Parameters<typeof authenticated>[1]): RouteHandler {
  return declare(
    {
      name,
      operation: startCall,
      wire: {
        query: GatewayInput.pick({ environment: true }),
        body: { 'application/json': JsonRpc },
        answer: { 'application/json': JsonRpc, 'text/event-stream': 'text' },
        // 202 for a message that expects no response.
        statuses: [200, 202],
        headers: ['mcp-protocol-version'],
      },
    },
    authenticated(async (caller, request, context) => {
      const authorized = authorize(caller, releasedTools)
      const { agent, server } = (await context.params) ?? {}
      const environment = parametersOf(request, ['environment']).get('environment')
      const input = { agent, server, ...(environment === null ? {} : { environment }) }
      const served = await perform(authorized, input, { name })
      const opens = isOfOpeningSession(request)
      const place = placeOf(caller, request)
      const left = new AbortController()
      // In a batch, the other requests are still answered.
      const leave = () => Array.isArray(message) || left.abort()
      const serving = { name, caller, server: String(server), served, opens, place, leave }
      const handler = createMcpHandler(({ era }) => toolServer(serving, era), {
        onerror: (error) => runtime().log.debug({ err: error }, 'mcp gateway'),
      })
      refuseEncoded(request)
      const body = await readBody(request, wireLimits.json.bytes)
      scanJson(body)
      const message = messageIn(body)
      if (Array.isArray(message) && message.length > wireLimits.calls)
        throw new ApiError('bad_request', `A batch can contain up to ${wireLimits.calls} messages.`)
      // The request was admitted as one call.
      if (Array.isArray(message) && message.length > 1) await takeCalls(caller.tenant.id, message.length - 1)
      await tellCanceled(place, message)
      const { url, method, headers } = request
      const signal = AbortSignal.any([request.signal, left.signal])
      const following = followingIn(message)
      // The library checks the request, but can't follow tasks.
      const checked = await handler.fetch(new Request(url, { method, headers, signal, body }))
      const isAccepted = checked.headers.get('content-type')?.startsWith('text/event-stream') === true
      const response = following !== undefined && isAccepted ? follow(serving, following, signal) : checked
      const session = response.ok ? sessionFor(message) : undefined
      if (session !== undefined) response.headers.set('mcp-session-id', session)
      response.headers.set('cache-control', 'no-store')
      response.headers.set('x-content-type-options', 'nosniff')
      response.headers.set('x-request-id', caller.requestId)
      return response
    }, door),
  )
}

function follow(serving: Serving, following: Following, signal: AbortSignal): Response {
  if (understandsTasks(following.capabilities)) return followTasks(serving, following, signal)
  const { code, message, data } = missingExtension()
  return Response.json({ jsonrpc: '2.0', id: following.id, error: { code, message, data } }, { status: 400 })
}

/** Undefined for what is not JSON, which the library answers. */
function messageIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
