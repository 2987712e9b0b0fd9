import { once } from 'node:events'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { newSpanId } from '#server/kernel/ids.ts'
import type { TestApi } from './api.ts'
import { otlpJson } from './otlp.ts'

/** Returns a new token of one of the demo's service accounts. */
export async function freshClient(api: TestApi, clientId: string): Promise<string> {
  const secret = api.credentials.tenants[0]?.clients.find((one) => one.clientId === clientId)?.clientSecret ?? ''
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret })
  const answer = await api.request(undefined, '/realms/northwind/protocol/openid-connect/token', {
    method: 'POST',
    body,
  })
  return (answer.body as { access_token: string }).access_token
}

/** Sends `count` spans of about `bytes` bytes each in one batch, which must be accepted completely. */
export async function sendSpans(api: TestApi, traceId: string, count: number, bytes: number): Promise<void> {
  const spans = Array.from({ length: count }, () => ({
    traceId,
    spanId: newSpanId(),
    attributes: Array.from({ length: Math.ceil(bytes / 250) }, (_, index): [string, string] => [
      `n${index}`,
      'x'.repeat(240),
    ]),
  }))
  const answer = await api.request(await freshClient(api, 'telemetry'), '/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: otlpJson(spans),
  })
  expect([answer.status, answer.text]).toEqual([200, '{}'])
}

/** Follows a trace over a socket. `closed` resolves with the close code and the time. */
export async function followTrace(api: TestApi, traceId: string, token: string) {
  const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
  const messages: { id: string; type: string; bytes: number; text: string }[] = []
  socket.on('message', (data) => {
    const text = String(data)
    if (text === 'PING') return socket.send('PONG')
    const body = JSON.parse(text) as { result?: { data?: { json?: { id: string; data: { type: string } } } } }
    const event = body.result?.data?.json
    if (event !== undefined) messages.push({ id: event.id, type: event.data.type, bytes: text.length, text })
  })
  const closed = once(socket, 'close').then(([code]) => ({ code: Number(code), at: Date.now() }))
  await once(socket, 'open')
  socket.send(JSON.stringify({ method: 'connectionParams', data: { authorization: `Bearer ${token}` } }))
  const params = { path: 'traces.stream', input: { json: { traceId } } }
  socket.send(JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'subscription', params }))
  return { socket, messages, closed }
}
