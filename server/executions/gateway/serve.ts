import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { GatewayInput } from '#lib/schemas/gateway.ts'
import { idempotencyMeta } from '#server/agents/tool-servers.ts'
import { authorize } from '#server/kernel/auth/authorize.ts'
import { challengeFor } from '#server/kernel/auth/challenge.ts'
import { gatewayAt, gatewayMetadataUrl } from '#server/kernel/auth/gateway-address.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { readBody } from '#server/kernel/body.ts'
import { scanJson } from '#server/kernel/json-budget.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { execute, perform } from '#server/kernel/operation.ts'
import { authenticated, declare, errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { answerTo } from './answer.ts'
import { releasedTools } from './released-tools.ts'
import { callKey, startCall } from './start-call.ts'

/** One message or a batch of them. */
const JsonRpc = z.union([
  z.looseObject({ jsonrpc: z.literal('2.0') }),
  z.array(z.looseObject({ jsonrpc: z.literal('2.0') })),
])

type Served = Awaited<ReturnType<typeof releasedTools.run>>

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

const addressOf = ({ url }: Request) => gatewayAt(new URL(url).pathname)

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
      const environment = new URL(request.url).searchParams.get('environment')
      const input = { agent, server, ...(environment === null ? {} : { environment }) }
      const served = await perform(authorized, input, { name })
      const handler = createMcpHandler(() => toolServer(name, caller, String(server), served), {
        onerror: (error) => runtime().log.debug({ err: error }, 'mcp gateway'),
      })
      const body = await readBody(request, wireLimits.json.bytes)
      scanJson(body)
      if (messagesIn(body) > wireLimits.calls)
        throw new ApiError('bad_request', `A batch can contain up to ${wireLimits.calls} messages.`)
      const { url, method, headers, signal } = request
      const response = await handler.fetch(new Request(url, { method, headers, signal, body }))
      response.headers.set('cache-control', 'no-store')
      response.headers.set('x-content-type-options', 'nosniff')
      response.headers.set('x-request-id', caller.requestId)
      return response
    }, door),
  )
}

/** The library answers what is not JSON. */
function messagesIn(body: Uint8Array): number {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString())
    return Array.isArray(value) ? value.length : 1
  } catch (error) {
    if (error instanceof SyntaxError) return 1
    throw error
  }
}

function toolServer(name: string, caller: Caller, serverName: string, { agentId, environment, tools }: Served): Server {
  const server = new Server(
    { name: `countersign ${serverName}`, version: '0.1.0' },
    {
      capabilities: { tools: {} },
      instructions:
        'Calls are governed by policy. A denied call is an error that states the reason. A call that needs an approval returns the status “pending”: repeat the same call later.',
    },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name: tool, title, description, inputSchema }) => ({
      name: tool,
      title,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const args = params.arguments ?? {}
    if (!isJsonObject(args)) throw new ApiError('bad_request', 'The arguments must be a JSON object.')
    const idempotencyKey = params._meta?.[idempotencyMeta]
    const call = {
      agentId,
      environment,
      server: serverName,
      tool: params.name,
      arguments: args as JsonObject,
      idempotencyKey,
    }
    try {
      const { executionId } = await execute(startCall, caller, call, { name })
      return await answerTo(caller.tenant, executionId, idempotencyKey === undefined ? callKey(call) : undefined)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return {
        content: [{ type: 'text', text: `${error.code}: ${error.message}` }],
        structuredContent: { status: 'denied', code: error.code, message: error.message },
        isError: true,
      }
    }
  })
  return server
}
