import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startBalancer } from '#server/testing/fakes/balancer.ts'
import { freePort } from '#server/testing/free-port.ts'
import { until } from '#server/testing/until.ts'

// What a proxy with docs/deploy/nginx.conf sends to another node: the file in a real nginx, and the balancer that other tests use in its
// place. A request that is not repeatable must never be sent twice.

/** 'stopping' answers 503; 'dying' reads the request and ends the connection. */
type Behaviour = 'running' | 'stopping' | 'dying'
type Node = { port: number; behaviour: Behaviour; got: string[]; server: Server }

async function startNode(): Promise<Node> {
  const node: Node = { port: 0, behaviour: 'running', got: [], server: createServer() }
  node.server.on('request', async (req, res) => {
    node.got.push(`${req.method} ${(await buffer(req)).byteLength}`)
    if (node.behaviour === 'dying') return req.socket.destroy()
    const headers = node.behaviour === 'stopping' ? { 'retry-after': '1', connection: 'close' } : {}
    res.writeHead(node.behaviour === 'stopping' ? 503 : 200, headers).end(node.behaviour)
  })
  // As the real server: what is written goes back.
  node.server.on('upgrade', (_req, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    socket.pipe(socket)
  })
  node.server.listen(0, '127.0.0.1')
  await once(node.server, 'listening')
  node.port = (node.server.address() as AddressInfo).port
  return node
}

let nodes: Node[]
beforeAll(async () => {
  nodes = [await startNode(), await startNode()]
})
afterEach(() => {
  for (const node of nodes) Object.assign(node, { behaviour: 'running', got: [] })
})
afterAll(() => {
  for (const { server } of nodes) {
    server.closeAllConnections()
    server.close()
  }
})
const address = ({ port }: Node) => `http://127.0.0.1:${port}`

/** Starts nginx with the documented file: only the certificate, the port and the nodes are others. */
async function startNginx(): Promise<{ origin: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  // Its worker has another account where this one is root.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const documented = readFileSync(join(import.meta.dirname, '../docs/deploy/nginx.conf'), 'utf8')
  const servers = nodes.map((node) => `server 127.0.0.1:${node.port} max_fails=0;`).join(' ')
  const site = documented
    .replace('server 127.0.0.1:3000 max_fails=0;', servers)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/ssl_certificate.*;/g, '')
  expect(site.split(servers)).toHaveLength(2)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const main = `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit; events {}
http { access_log off; ${temporary.join(' ')} ${site} }`
  writeFileSync(join(folder, 'nginx.conf'), main)
  const child: ChildProcess = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const origin = `http://127.0.0.1:${port}`
  await until(
    () =>
      fetch(origin).then(
        () => true,
        () => undefined,
      ),
    'nginx answered',
  )
  return {
    origin,
    async close() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}

const hasNginx = spawnSync('nginx', ['-v']).error === undefined
const proxies = [
  ['the balancer of the tests', true, () => startBalancer(() => nodes.map(address))],
  ['nginx with docs/deploy/nginx.conf (skipped where nginx is missing)', hasNginx, startNginx],
] as const

describe.each(proxies)('%s', (_name, isHere, start) => {
  let proxy: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    if (!isHere) return
    proxy = await start()
    for (const node of nodes) node.got = []
  })
  afterAll(() => proxy?.close())

  const key = { 'idempotency-key': 'k' }
  const body = 'x'.repeat(100_000)
  /** Sends the request twice, so that it begins at each node. */
  const send = async (method: string, headers: Record<string, string> = {}) => {
    const all: number[] = []
    for (let index = 0; index < 2; index++) {
      const answer = await fetch(`${proxy.origin}/v1/x`, { method, headers, ...(method === 'GET' ? {} : { body }) })
      await answer.arrayBuffer()
      all.push(answer.status)
    }
    return all.sort()
  }
  const first = () => nodes[0] ?? expect.unreachable()
  const second = () => nodes[1] ?? expect.unreachable()

  test.runIf(isHere)('sends what is repeatable to another node while one stops', async () => {
    first().behaviour = 'stopping'
    expect(await send('GET')).toEqual([200, 200])
    expect(await send('POST', key)).toEqual([200, 200])
    // Each of them whole.
    expect(second().got).toEqual(['GET 0', 'GET 0', 'POST 100000', 'POST 100000'])
  })

  test.runIf(isHere)('sends what is repeatable again if its answer is lost', async () => {
    first().behaviour = 'dying'
    expect(await send('GET')).toEqual([200, 200])
    expect(await send('POST', key)).toEqual([200, 200])
  })

  test.runIf(isHere)('sends another POST once, whatever becomes of it', async () => {
    first().behaviour = 'stopping'
    expect(await send('POST')).toEqual([200, 503])
    first().behaviour = 'dying'
    expect(await send('POST')).toEqual([200, 502])
    expect([...first().got, ...second().got]).toHaveLength(4)
  })

  test.runIf(isHere)('uses a node again as soon as it runs', async () => {
    for (const stopping of [first(), second()]) {
      stopping.behaviour = 'stopping'
      expect(await send('GET')).toEqual([200, 200])
      stopping.behaviour = 'running'
      stopping.got = []
      await send('GET')
      expect(stopping.got.length).toBeGreaterThan(0)
    }
  })
})

test.runIf(hasNginx)('nginx passes upgrades, and bodies as they arrive', async () => {
  const proxy = await startNginx()
  const socket = httpRequest(proxy.origin, { headers: { connection: 'Upgrade', upgrade: 'websocket' } })
  socket.end()
  const [, stream] = await once(socket, 'upgrade')
  stream.write('ping')
  expect(String((await once(stream, 'data'))[0])).toBe('ping')
  stream.destroy()
  // The body has not ended when the node already has the request.
  const arrived = Promise.race(nodes.map(async ({ server }) => await once(server, 'request')))
  const upload = httpRequest(`${proxy.origin}/v1/files`, { method: 'POST' })
  upload.write('first')
  await arrived
  upload.end('last')
  const [answer] = await once(upload, 'response')
  expect(answer.statusCode).toBe(200)
  answer.resume()
  await proxy.close()
})
