import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Front, openPort } from './http.ts'

// Requests that arrive slowly, on a port with limits of a fraction of a second.

let front: Front
/** Called when the server has the request for /later, whose body it reads once the promise is settled. */
let untilRead = (): Promise<unknown> => Promise.resolve()
beforeAll(async () => {
  const arrival = { headersMs: 400, bodyMs: 400, lookMs: 50, bodyBytesPerSecond: 10_000 }
  front = await openPort(0, { https: false, rateLimitPerMinute: 600, arrival })
  front.answerWith({
    upgrade: () => 404,
    async request(req, res) {
      if (req.url === '/unread') return res.writeHead(401, { 'content-length': 0 }).end()
      if (req.url === '/later') await untilRead()
      let size = 0
      try {
        for await (const chunk of req as AsyncIterable<Buffer>) size += chunk.length
      } catch {
        return res.destroy()
      }
      return res.end(String(size))
    },
  })
})
afterAll(() => front.close())

/** Writes the beginning, then `more` ten times a second, until the server closes the connection. Returns what it answered. */
async function trickle(beginning: string, more: string, times = Number.POSITIVE_INFINITY): Promise<string> {
  const socket: Socket = connect({ port: front.port, allowHalfOpen: true })
  // A server that cuts the connection resets what is still sent.
  socket.on('error', () => undefined)
  const answer = text(socket).catch(() => '')
  socket.write(beginning)
  for (let sent = 0; sent < times && socket.readable; sent++) {
    await setTimeout(100)
    // What has arrived is read first: writing to a connection that the server has reset would discard it.
    await setImmediate()
    if (socket.readable && socket.writable) socket.write(more)
  }
  const got = await answer
  socket.destroy()
  return got
}

const post = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`

test('headers that trickle in are answered with 408, and the connection is closed', async () => {
  expect(await trickle('GET / HTTP/1.1\r\nHost: localhost\r\n', 'X-Slow: 1\r\n')).toMatch(/^HTTP\/1\.1 408 /)
})

test('a body that trickles in is answered with 408, and the connection is closed', async () => {
  const answer = await trickle(post('/', 1_000_000), 'a')
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer.toLowerCase()).toContain('connection: close')
})

test('a chunked body that trickles in is answered with 408', async () => {
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
  expect(await trickle(head, '1\r\na\r\n')).toMatch(/^HTTP\/1\.1 408 /)
})

test('a body that trickles in after the answer does not keep the connection open', async () => {
  const head = post('/unread', 1_000_000).replace('Connection: close\r\n', '')
  expect(await trickle(head, 'a')).toMatch(/^HTTP\/1\.1 401 /)
})

test('a large body that keeps arriving may take longer than the time for a small one', async () => {
  const chunk = 'a'.repeat(10_000)
  expect(await trickle(post('/', 10 * chunk.length), chunk, 10)).toMatch(/\r\n\r\n100000$/)
})

test('a body that the server has not read yet is not cut', async () => {
  // Reads when a request that arrived later has had all its time.
  untilRead = () => trickle(post('/', 1_000_000), 'a')
  expect(await trickle(`${post('/later', 5)}hello`, '', 0)).toMatch(/\r\n\r\n5$/)
})
