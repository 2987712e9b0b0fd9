import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { setRuntime } from '#server/kernel/runtime.ts'
import { testRuntime } from '#server/testing/tenant.ts'
import { fetchLimited } from './fetch-limited.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let server: Server
let url: string
let asked = Promise.withResolvers<void>()
const answers: Record<string, (response: ServerResponse) => void> = {
  '/small': (response) => response.end('small'),
  '/empty': (response) => response.writeHead(204).end(),
  '/large': (response) => response.end('x'.repeat(100_000)),
  '/drip': drip,
  '/silent': () => undefined,
  '/elsewhere': (response) => response.writeHead(302, { location: '/small' }).end(),
}
beforeAll(async () => {
  runtime = await testRuntime()
  server = createServer((request, response) => {
    asked.resolve()
    answers[request.url ?? '']?.(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  setRuntime(runtime)
  asked = Promise.withResolvers()
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await runtime.close()
})

function drip(response: ServerResponse): void {
  response.writeHead(200).flushHeaders()
  const timer = setInterval(() => response.write('x'), 10)
  response.on('close', () => clearInterval(timer))
}

const read = async (path: string, limits = { wholeMs: 60_000, maxBytes: 1000 }) =>
  await (await fetchLimited(`${url}${path}`, {}, limits)).text()

test('an answer within the limits is passed on', async () => {
  expect([await read('/small'), await read('/empty')]).toEqual(['small', ''])
})

test('an answer that is too large, or a redirect, is an error', async () => {
  await expect(read('/large')).rejects.toThrow('more than 1000 bytes')
  await expect(read('/elsewhere')).rejects.toThrow()
})

test.each(['/drip', '/silent'])('%s: the whole answer has its time', async (path) => {
  await expect(read(path, { wholeMs: 300, maxBytes: 1_000_000 })).rejects.toMatchObject({ name: 'TimeoutError' })
})

test.each(['/drip', '/silent'])('%s: the process that stops does not wait for an answer', async (path) => {
  const cut = new AbortController()
  setRuntime({ ...runtime, cut: cut.signal })
  const reading = expect(read(path, { wholeMs: 60_000, maxBytes: 1_000_000 })).rejects.toMatchObject({
    name: 'AbortError',
  })
  await asked.promise
  cut.abort()
  await reading
})
