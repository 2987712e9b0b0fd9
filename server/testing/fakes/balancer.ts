import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A load balancer in front of several nodes, without sticky sessions: each request goes to the next node. */
export type Balancer = {
  origin: string
  /** How many responses each node gave, by its address; those that were replaced by another node's are not counted. */
  served: Map<string, number>
  close(): Promise<void>
}

/**
 * As docs/deploy/nginx.conf does (server/proxies.test.ts compares them), it sends a request to another node if one can't be reached and,
 * if the request is idempotent or has an Idempotency-Key, also after 503 or without an answer.
 */
export async function startBalancer(nodes: () => readonly string[]): Promise<Balancer> {
  const served = new Map<string, number>()
  let turn = 0
  const server = createServer((req, res) => {
    pass(req, res).catch(() => res.destroy())
  })
  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req)
    const known = nodes()
    turn += 1
    for (let tries = 0; ; tries++) {
      const node = known[(turn + tries) % known.length] ?? ''
      const isLast = tries >= 2 * known.length
      const answer = await ask(node, req, body).catch((error: NodeJS.ErrnoException) => error)
      if (answer instanceof Error) {
        const isSafe = answer.code === 'ECONNREFUSED' || isIdempotent(req)
        if (isLast || !isSafe) return void res.writeHead(502).end()
        continue
      }
      if (answer.statusCode === 503 && !isLast && isIdempotent(req)) {
        answer.resume()
        continue
      }
      served.set(node, (served.get(node) ?? 0) + 1)
      const { connection: _, 'keep-alive': __, ...headers } = answer.headers
      res.writeHead(answer.statusCode ?? 502, headers)
      res.flushHeaders()
      answer.on('error', () => res.destroy())
      return void answer.pipe(res)
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://localhost:${port}`,
    served,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const isIdempotent = ({ method = '', headers }: IncomingMessage): boolean =>
  ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method) || headers['idempotency-key'] !== undefined

const ask = (node: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { connection: _, ...passed } = headers
    request(`${node}${url}`, { method, headers: passed, agent: false }, resolve).on('error', reject).end(body)
  })
