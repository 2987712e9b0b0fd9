import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** A tool server whose only tool, `greet`, returns a greeting with the name. */
export function greetingServer(): McpServer {
  const server = new McpServer({ name: 'greeting', version: '1.0.0' })
  server.registerTool('greet', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    content: [{ type: 'text', text: `Good day, ${name}.` }],
  }))
  return server
}

/** Starts the same server over HTTP on a free loopback port, only for clients of the revision 2026-07-28. */
export async function startModernTools(): Promise<{
  url: string
  methods: string[]
  /** The header of each request, empty if it was not sent. */
  authorizations: string[]
  close(): Promise<void>
}> {
  const handler = createMcpHandler(greetingServer, { legacy: 'reject' })
  const methods: string[] = []
  const authorizations: string[] = []
  const server = createServer(
    getRequestListener(async (request) => {
      authorizations.push(request.headers.get('authorization') ?? '')
      const message = await request.clone().json()
      methods.push(String(message.method))
      return await handler.fetch(request)
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    methods,
    authorizations,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
