import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export type FaultyTools = {
  url: string
  /** The idempotency keys of the calls that arrived, in order. */
  keys: unknown[]
  close(): Promise<void>
}

/** What a call is answered with. `id`: of the request. */
type Fault = (answer: ServerResponse, id: unknown) => void

const stream = { 'content-type': 'text/event-stream' }
const faults: Record<string, Fault> = {
  unauthorized: (answer) => answer.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end(),
  forbidden: (answer) => answer.writeHead(403).end(),
  redirect: (answer) => answer.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' }).end(),
  'redirect-within': (answer) => answer.writeHead(307, { location: '/mcp?moved' }).end(),
  html: (answer) => answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Welcome</h1>'),
  'bad-gateway': (answer) => answer.writeHead(502).end('<h1>Bad gateway</h1>'),
  reset: (answer) => answer.destroy(),
  'cut-line': (answer) => cut(answer.writeHead(200, stream), 'data: {"jsonrpc":"2.0",'),
  'ended-early': (answer) => answer.writeHead(200, stream).end(': nothing to say\n\n'),
  // The client may continue such a stream with a GET, which this server does not have.
  'cut-resumable': (answer) => cut(answer.writeHead(200, stream), 'id: 1\nretry: 10\ndata: \n\n'),
  'result-then-cut': (answer, id) => {
    const result = { content: [{ type: 'text', text: 'Done.' }], resultType: 'complete' }
    cut(answer.writeHead(200, stream), `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
  },
}

function cut(answer: ServerResponse, text: string): void {
  answer.write(text, () => answer.destroy())
}

function toolServer(): McpServer {
  const server = new McpServer({ name: 'faulty', version: '1.0.0' })
  const inputSchema = z.object({ fault: z.string() })
  const call = () => ({ content: [{ type: 'text' as const, text: 'Done.' }] })
  server.registerTool('once', { inputSchema }, call)
  server.registerTool('often', { inputSchema, annotations: { idempotentHint: true } }, call)
  return server
}

/**
 * Starts a tool server over HTTP on a free loopback port that describes two tools, and answers a call of them as its argument
 * `fault` names. `often` declares that it is idempotent. A `legacy` server speaks only the revisions before 2026-07-28.
 * The path `/moved` redirects to it, and `/gone` to another origin.
 */
export async function startFaultyTools({ legacy }: { legacy: boolean }): Promise<FaultyTools> {
  const keys: unknown[] = []
  const handler = createMcpHandler(toolServer, legacy ? {} : { legacy: 'reject' })
  const server = createServer(async (request, answer) => {
    const body = Buffer.concat(await request.toArray()).toString()
    if (request.method !== 'POST') return answer.writeHead(405).end()
    if (request.url === '/moved') return answer.writeHead(308, { location: '/mcp' }).end()
    if (request.url === '/gone') return answer.writeHead(308, { location: 'http://127.0.0.1:9/mcp' }).end()
    const message = JSON.parse(body)
    if (message.method === 'tools/call') {
      keys.push(message.params._meta?.['countersign/idempotencyKey'])
      const fault = faults[message.params.arguments.fault]
      if (fault !== undefined && request.url !== '/mcp?moved') return fault(answer, message.id)
    }
    if (legacy && message.method === 'server/discover')
      return answer
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } }))
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const response = await handler.fetch(
      new Request(`http://${request.headers.host}${request.url}`, { method: 'POST', headers, body }),
    )
    answer.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    keys,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
