import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Starts a tool server over HTTP (revision 2025-11-25) on a free loopback port. Its list of tools has a page in every `pageMs`, and
 * no last one if `endless`; its answer to the end of a session comes byte by byte and never ends.
 */
export async function startDawdlingTools({ endless, pageMs }: { endless: boolean; pageMs: number }) {
  const asked = { pages: 0 }
  const server = createServer(async (request, answer) => {
    const body = Buffer.concat(await request.toArray()).toString()
    if (request.method === 'DELETE') return drip(answer)
    if (request.method !== 'POST') return answer.writeHead(405).end()
    const { id, method } = JSON.parse(body)
    const json = { 'content-type': 'application/json', 'mcp-session-id': 's1' }
    const reply = (result: object) => answer.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    if (method === 'initialize')
      return reply({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'dawdling', version: '1.0.0' },
      })
    if (method === 'tools/list') {
      asked.pages += 1
      const tool = { name: `tool-${asked.pages}`, inputSchema: { type: 'object' } }
      const more = endless ? { nextCursor: String(asked.pages) } : {}
      return void setTimeout(() => reply({ tools: [tool], ...more }), pageMs)
    }
    if (id === undefined) return answer.writeHead(202).end()
    answer
      .writeHead(400, json)
      .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function drip(answer: ServerResponse): void {
  answer.writeHead(200)
  const timer = setInterval(() => answer.write(' '), 50)
  answer.on('close', () => clearInterval(timer))
}
