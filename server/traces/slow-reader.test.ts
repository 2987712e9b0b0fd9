import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { until } from '#server/testing/until.ts'

// What a stream does with readers that take nothing, and when it ends.

let api: TestApi
beforeAll(async () => {
  api = await startApi({ ACCESS_TOKEN_TTL: '10' })
}, 60_000)
afterAll(() => api.close())

async function send(traceId: string, count: number, bytes: number): Promise<void> {
  const token = await freshClient('telemetry')
  const spans = Array.from({ length: count }, () => ({
    traceId,
    spanId: newSpanId(),
    attributes: Array.from({ length: Math.ceil(bytes / 250) }, (_, index): [string, string] => [
      `n${index}`,
      'x'.repeat(240),
    ]),
  }))
  const answer = await api.request(token, '/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: otlpJson(spans),
  })
  expect([answer.status, answer.text]).toEqual([200, '{}'])
}

/** Tokens live ten seconds here, so none is kept. */
async function freshClient(clientId: string): Promise<string> {
  const secret = api.credentials.tenants[0]?.clients.find((one) => one.clientId === clientId)?.clientSecret ?? ''
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret })
  const answer = await api.request(undefined, '/realms/northwind/protocol/openid-connect/token', {
    method: 'POST',
    body,
  })
  return (answer.body as { access_token: string }).access_token
}

async function follow(traceId: string, token: string) {
  const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
  const messages: { id: string; type: string; bytes: number }[] = []
  socket.on('message', (data) => {
    const text = String(data)
    const body = JSON.parse(text) as { result?: { data?: { json?: { id: string; data: { type: string } } } } }
    const event = body.result?.data?.json
    if (event !== undefined) messages.push({ id: event.id, type: event.data.type, bytes: text.length })
  })
  const closed = once(socket, 'close').then(([code]) => ({ code: Number(code), at: Date.now() }))
  await once(socket, 'open')
  socket.send(JSON.stringify({ method: 'connectionParams', data: { authorization: `Bearer ${token}` } }))
  const params = { path: 'traces.stream', input: { json: { traceId } } }
  socket.send(JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'subscription', params }))
  return { socket, messages, closed }
}

test('a socket is closed within five seconds of its token’s end, and says why', async () => {
  const traceId = newTraceId()
  await send(traceId, 1, 100)
  const token = await freshClient('telemetry')
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }
  const { closed, messages } = await follow(traceId, token)
  await until(async () => messages[0], 'the span arrived')
  const { code, at } = await closed
  expect(code).toBe(4401)
  expect(at - exp * 1000).toBeGreaterThanOrEqual(0)
  expect(at - exp * 1000).toBeLessThan(5000)
}, 30_000)

test('a socket and a stream over HTTP are closed within a second of the loss of the role', async () => {
  const traceId = newTraceId()
  await send(traceId, 1, 100)
  const admin = await freshClient('admin-automation')
  const { clientId, clientSecret } = payload<{ clientId: string; clientSecret: string }>(
    await api.mutate(admin, 'serviceAccounts.create', { name: 'watcher', roles: ['viewer'] }),
  )
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const made = await api.request(undefined, '/realms/northwind/protocol/openid-connect/token', { method: 'POST', body })
  const token = (made.body as { access_token: string }).access_token
  const { closed, messages } = await follow(traceId, token)
  const input = encodeURIComponent(JSON.stringify({ json: { traceId } }))
  const stream = await fetch(`${api.baseUrl}/v1/traces.stream?input=${input}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const drained = (async () => {
    for await (const chunk of stream.body ?? []) void chunk
    return Date.now()
  })()
  await until(async () => messages[0], 'the span arrived')
  const disabled = await api.mutate(await freshClient('admin-automation'), 'serviceAccounts.disable', { clientId })
  const since = Date.now()
  expect(disabled.status, disabled.text).toBe(200)
  const { code, at } = await closed
  expect(code).toBe(4403)
  expect(at - since).toBeLessThan(1000)
  expect((await drained) - since).toBeLessThan(1000)
}, 30_000)

test('a reader that takes nothing is told of a gap afterwards; what came meanwhile did not pile up for it', async () => {
  const traceId = newTraceId()
  await send(traceId, 1, 100)
  const { socket, messages } = await follow(traceId, await freshClient('telemetry'))
  await until(async () => messages[0], 'the first span arrived')
  socket.pause()
  for (let batch = 0; batch < 4; batch++) await send(traceId, 300, 10_000)
  await new Promise((resolve) => setTimeout(resolve, 4000))
  socket.resume()
  const gap = await until(async () => messages.find((message) => message.type === 'gap'), 'the gap is told')
  expect(gap.id).toBe('1201')
  // What the sockets of the system hold is not ours; of the 12 MB most was never sent.
  expect(messages.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(9_000_000)
  const before = messages.length
  await send(traceId, 1, 100)
  const next = await until(async () => messages[before], 'the stream goes on')
  expect([next.id, next.type]).toEqual(['1202', 'span.ended'])
}, 120_000)
