import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { otlpJson, otlpProtobuf } from '#server/testing/otlp.ts'

// Malformed requests: each gets a status below 500, and the server keeps working.

let api: TestApi
let token: string
beforeAll(async () => {
  api = await startApi()
  token = await api.client('telemetry')
}, 180_000)
afterAll(() => api.close())

const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
  (await api.request(token, '/v1/traces', { method: 'POST', headers, body })).status
const json = { 'content-type': 'application/json' }
const protobuf = { 'content-type': 'application/x-protobuf' }
const gzip = { 'content-encoding': 'gzip' }

const span = () => ({
  traceId: newTraceId(),
  spanId: newSpanId(),
  attributes: [['a', { pairs: [['b', ['c', 1]]] }] as [string, { pairs: [string, (string | number)[]][] }]],
  status: { code: 2, message: 'x' },
  events: [],
})

test('a protobuf body that is cut anywhere or has any byte changed never gets a 5xx', async () => {
  const whole = otlpProtobuf([span(), span()], [['service.name', 'x']])
  const statuses = new Set<number>()
  for (let length = 0; length < whole.length; length += 1) statuses.add(await send(whole.slice(0, length), protobuf))
  for (let at = 0; at < whole.length; at += 1) {
    const changed = new Uint8Array(whole)
    changed[at] = ((changed[at] ?? 0) + 0x80 + at) % 256
    statuses.add(await send(changed, protobuf))
  }
  expect([...statuses].sort()).toEqual([200, 400])
}, 120_000)

test('JSON of the wrong shape gets 400, wherever the error is', async () => {
  const bodies = [
    '',
    'null',
    '[]',
    '1',
    '"x"',
    '{',
    '{"resourceSpans":{}}',
    '{"resourceSpans":[null]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[[]]}]}]}',
  ]
  for (const body of bodies) expect([body, await send(body, json)]).toEqual([body, 400])
  const good = JSON.parse(otlpJson([{ ...span(), events: [{ name: 'e', attributes: [['k', 'v']] }] }])) as unknown
  const wrong: unknown[] = [1, 'x', true, [], {}, [[]], { $x: 1 }, 1.5, -1, null]
  let sent = 0
  const statuses = new Set<number>()
  const walk = async (at: unknown): Promise<void> => {
    if (typeof at !== 'object' || at === null) return
    for (const key of Object.keys(at)) {
      const kept: unknown = Reflect.get(at, key)
      for (const value of wrong) {
        Reflect.set(at, key, value)
        statuses.add(await send(JSON.stringify(good), json))
        sent += 1
      }
      Reflect.set(at, key, kept)
      await walk(kept)
    }
  }
  await walk(good)
  expect(sent).toBeGreaterThan(300)
  expect([...statuses].sort()).toEqual([200, 400])
}, 120_000)

test.each([
  ['traces', '{"resourceSpans":', 'The body is not valid JSON.'],
  ['traces', '[]', 'Not a valid OTLP request: the body must be an object.'],
  ['traces', '{"resourceSpans":"x"}', 'Not a valid OTLP request: resourceSpans must be a list.'],
  ['traces', '{"resourceSpans":["x"]}', 'Not a valid OTLP request: each of resourceSpans must be an object.'],
  ['traces', '{"resourceSpans":[{"resource":[]}]}', 'Not a valid OTLP request: resource must be an object.'],
  ['traces', '{"resourceSpans":[{"scopeSpans":{}}]}', 'Not a valid OTLP request: scopeSpans must be a list.'],
  [
    'traces',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[1]}]}]}',
    'Not a valid OTLP request: each of spans must be an object.',
  ],
  ['logs', '{"resourceLogs":7}', 'Not a valid OTLP request: resourceLogs must be a list.'],
  ['metrics', '{"resourceMetrics":true}', 'Not a valid OTLP request: resourceMetrics must be a list.'],
  ['metrics', '{"resourceMetrics":', 'The body is not valid JSON.'],
])('%s: %s is refused with its reason', async (signal, body, message) => {
  const answer = await api.request(token, `/v1/${signal}`, { method: 'POST', headers: json, body })
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { message }])
})

test('nesting, keys and numbers at their limits never get a 5xx', async () => {
  const deepJson = (levels: number) =>
    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${newTraceId()}","spanId":"${newSpanId()}","startTimeUnixNano":"1795000000000000000","attributes":[{"key":"deep","value":${'{"arrayValue":{"values":['.repeat(levels)}{"intValue":"1"}${']}}'.repeat(levels)}}]}]}]}]}`
  expect(await send(deepJson(20), json)).toBe(200)
  for (const levels of [40, 1_000, 100_000]) expect([200, 400]).toContain(await send(deepJson(levels), json))
  expect(await send('['.repeat(5_000_000), json)).toBe(400)
  for (const value of ['9223372036854775807', '-9223372036854775808', '99999999999999999999', '1.5', 'NaN', ''])
    expect([200, 400]).toContain(await send(deepJson(0).replace('"intValue":"1"', `"intValue":"${value}"`), json))
  for (const key of ['__proto__', 'constructor', 'a'.repeat(100_000), '\\u0000', '\\ud800', '\\u202e'])
    expect(await send(deepJson(0).replace('"key":"deep"', `"key":"${key}"`), json)).toBe(200)
})

test('bad compression and content types get 400 and 415', async () => {
  const whole = new Uint8Array(gzipSync(otlpJson([span()])))
  for (const at of [0, 3, 10, whole.length - 5]) expect(await send(whole.slice(0, at), { ...json, ...gzip })).toBe(400)
  const changed = new Uint8Array(whole)
  changed[20] = (changed[20] ?? 0) ^ 0xff
  expect(await send(changed, { ...json, ...gzip })).toBe(400)
  expect(await send('{}', { ...json, 'content-encoding': 'br' })).toBe(415)
  expect(await send('{}', { 'content-type': 'text/plain' })).toBe(415)
  expect(await send('{}', { 'content-type': 'application/jsonx' })).toBe(415)
  expect(await send('{}', json)).toBe(200)
})
