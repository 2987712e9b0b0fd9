import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blockedPorts } from '#lib/text/blocked-port.ts'
import { AddressRefused, AnswerTooLarge, NotReached, openOutbound } from './outbound.ts'
import { noPrivateHosts, parsePrivateHosts } from './private-hosts.ts'

let server: Server
let port: number
const seen: string[] = []
beforeAll(async () => {
  server = createServer((req, res) => {
    seen.push(`${req.method} ${req.headers.host} ${req.url}`)
    if (req.url === '/redirect') return res.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    if (req.url === '/large') return res.end('x'.repeat(2000))
    if (req.url === '/cut') return req.socket.destroy()
    if (req.url === '/silent') return res.writeHead(200).write('x')
    return res.end('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

const allowing = (text: string) => {
  const hosts = parsePrivateHosts(text)
  if (hosts === undefined) throw new Error(`${text} is not a list of hosts.`)
  return hosts
}
const open = (allowed = noPrivateHosts, resolve?: (host: string) => Promise<{ address: string; family: number }[]>) =>
  openOutbound({ allowed, maxBytes: 1000, idleMs: 500, ...(resolve === undefined ? {} : { resolve }) })
const loopback = { address: '127.0.0.1', family: 4 }

describe('without permission of the operator', () => {
  test.each([
    'http://127.0.0.1/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://169.254.169.254/latest/meta-data/',
    'http://1.1.1.1/',
    'https://user:secret@1.1.1.1/',
    'ftp://1.1.1.1/',
    'file:///etc/passwd',
    'https://1.1.1.1:6000/',
  ])('%s is refused', async (url) => {
    const outbound = open()
    await expect(outbound.fetch(url)).rejects.toBeInstanceOf(AddressRefused)
    await outbound.close()
  })

  test('a name with one private address among public ones is refused', async () => {
    const outbound = open(noPrivateHosts, async () => [{ address: '1.1.1.1', family: 4 }, loopback])
    await expect(outbound.fetch(`https://mixed.example:${port}/`)).rejects.toBeInstanceOf(AddressRefused)
    await outbound.close()
  })
})

describe('allowed by the operator', () => {
  test('a network’s addresses are reachable, even without TLS', async () => {
    const outbound = open(allowing('127.0.0.0/8'))
    expect(await (await outbound.fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello')
    await outbound.close()
  })

  test('a name is resolved once, so a second DNS answer changes nothing', async () => {
    let asked = 0
    const outbound = open(allowing('tools.internal'), async () => {
      asked += 1
      return asked === 1 ? [loopback] : [{ address: '169.254.169.254', family: 4 }]
    })
    for (const path of ['/one', '/two'])
      expect((await outbound.fetch(`http://tools.internal:${port}${path}`)).status).toBe(200)
    await outbound.close()
    expect(asked).toBe(1)
    expect(seen).toContain(`GET tools.internal:${port} /two`)
  })

  test('another name with the same address stays blocked', async () => {
    const outbound = open(allowing('tools.internal'), async () => [loopback])
    await expect(outbound.fetch(`http://other.internal:${port}/`)).rejects.toBeInstanceOf(AddressRefused)
    await outbound.close()
  })

  test('a redirect is returned, not followed', async () => {
    const outbound = open(allowing('127.0.0.1'))
    expect((await outbound.fetch(`http://127.0.0.1:${port}/redirect`)).status).toBe(302)
    await outbound.close()
  })

  test('a response has a size limit', async () => {
    const outbound = open(allowing('127.0.0.1'))
    const answer = await outbound.fetch(`http://127.0.0.1:${port}/large`)
    await expect(answer.text()).rejects.toBeInstanceOf(AnswerTooLarge)
    await outbound.close()
  })

  test('a silent peer is disconnected', async () => {
    const outbound = open(allowing('127.0.0.1'))
    const answer = await outbound.fetch(`http://127.0.0.1:${port}/silent`)
    await expect(answer.text()).rejects.toThrow()
    await outbound.close()
  })

  test('an attempt at TLS with a peer that has none states that nothing was sent', async () => {
    const outbound = open(allowing('127.0.0.1'))
    await expect(outbound.fetch(`https://127.0.0.1:${port}/`)).rejects.toBeInstanceOf(NotReached)
    await outbound.close()
  })

  test('a connection that ends after the request was sent does not state that', async () => {
    const outbound = open(allowing('127.0.0.1'))
    const cut = outbound.fetch(`http://127.0.0.1:${port}/cut`)
    await expect(cut).rejects.toThrow()
    await expect(cut).rejects.not.toBeInstanceOf(NotReached)
    await outbound.close()
  })

  test('without a listener the error states that nothing was sent', async () => {
    const closed = createServer()
    closed.listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const free = (closed.address() as AddressInfo).port
    closed.close()
    await once(closed, 'close')
    const outbound = open(allowing('127.0.0.1'))
    await expect(outbound.fetch(`http://127.0.0.1:${free}/`)).rejects.toBeInstanceOf(NotReached)
    await outbound.close()
  })
})

test.each(['10.0.0.0/33', '10.0.0.0/x', 'a b', '-x', 'https://x.example', '::1/129'])(
  '“%s” is not a list of hosts',
  (text) => {
    expect(parsePrivateHosts(text)).toBeUndefined()
  },
)

test('a port that fetch blocks is refused before anything is sent, also where the operator allows the host', async () => {
  const outbound = open(allowing('127.0.0.1'))
  await expect(outbound.fetch('http://127.0.0.1:6000/')).rejects.toEqual(
    new AddressRefused('Port 6000 can’t be called: browsers and fetch refuse it. Use another one.'),
  )
  await outbound.close()
  // They are those that fetch refuses.
  for (const port of blockedPorts)
    await expect(undiciFetch(`http://127.0.0.1:${port}/`), String(port)).rejects.toMatchObject({
      cause: { message: 'bad port' },
    })
})
