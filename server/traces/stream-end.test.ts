import { afterAll, beforeAll, expect, test } from 'vitest'
import { newTraceId } from '#server/kernel/ids.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { followTrace, freshClient, sendSpans } from '#server/testing/trace-reader.ts'
import { until } from '#server/testing/until.ts'

// When a stream ends. Tokens are valid for ten seconds here, so they are not cached.

let api: TestApi
beforeAll(async () => {
  api = await startApi({ ACCESS_TOKEN_TTL: '10' })
}, 180_000)
afterAll(() => api.close())

test('a socket is closed when its token expires, not before, and reports the reason', async () => {
  const traceId = newTraceId()
  await sendSpans(api, traceId, 1, 100)
  const token = await freshClient(api, 'telemetry')
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }
  const { closed, messages } = await followTrace(api, traceId, token)
  await until(async () => messages[0], 'the span arrived')
  const { code, at } = await closed
  expect(code).toBe(4401)
  expect(at - exp * 1000).toBeGreaterThanOrEqual(0)
}, 30_000)

test('a socket and a stream over HTTP are closed by the loss of the role, long before their token ends', async () => {
  const traceId = newTraceId()
  await sendSpans(api, traceId, 1, 100)
  const admin = await freshClient(api, 'admin-automation')
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
  const { closed, messages } = await followTrace(api, traceId, token)
  const input = encodeURIComponent(JSON.stringify({ json: { traceId } }))
  const stream = await fetch(`${api.baseUrl}/v1/traces.stream?input=${input}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const drained = (async () => {
    for await (const chunk of stream.body ?? []) void chunk
  })()
  await until(async () => messages[0], 'the span arrived')
  const disabled = await api.mutate(await freshClient(api, 'admin-automation'), 'serviceAccounts.disable', { clientId })
  expect(disabled.status, disabled.text).toBe(200)
  expect((await closed).code).toBe(4403)
  await drained
}, 30_000)
