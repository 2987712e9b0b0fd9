import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { z } from 'zod'

export type RemoteTools = {
  url: string
  /** The calls that arrived, in order, with their key and their request id in the session. */
  calls: { key: unknown; requestId: unknown }[]
  /** The requests that callers have canceled with a notification. */
  canceled: unknown[]
  /** Lets held calls return. */
  release(): void
  close(): Promise<void>
}

/** Starts a tool server over streamable HTTP with sessions, on a free loopback port. Its only tool is `pay`, which waits. */
export async function startRemoteTools(): Promise<RemoteTools> {
  const calls: RemoteTools['calls'] = []
  const canceled: unknown[] = []
  let held = Promise.withResolvers<void>()
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const open = async () => {
    const server = new McpServer({ name: 'remote', version: '1.0.0' })
    server.registerTool('pay', { inputSchema: z.object({ id: z.string() }) }, async ({ id }, { mcpReq }) => {
      calls.push({ key: mcpReq._meta?.['countersign/idempotencyKey'], requestId: mcpReq.id })
      await held.promise
      return { content: [{ type: 'text', text: `Paid ${id}.` }] }
    })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await server.connect(transport)
    return transport
  }
  const server = createServer(
    getRequestListener(async (request) => {
      const id = request.headers.get('mcp-session-id')
      const message = request.method === 'POST' ? await request.clone().json() : {}
      if (message.method === 'notifications/cancelled') canceled.push(message.params.requestId)
      const transport = id === null ? await open() : sessions.get(id)
      return transport === undefined ? new Response(null, { status: 404 }) : await transport.handleRequest(request)
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    canceled,
    release() {
      held.resolve()
      held = Promise.withResolvers()
    },
    async close() {
      held.resolve()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
