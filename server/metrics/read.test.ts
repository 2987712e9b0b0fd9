import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { until } from '#server/testing/until.ts'

// The metrics that a monitor reads from the running server.

let api: TestApi
let omar: string
beforeAll(async () => {
  api = await startApi()
  omar = await api.person('omar')
}, 180_000)
afterAll(() => api.close())

async function metrics(token = omar): Promise<Map<string, number>> {
  const answer = await api.request(token, '/v1/metrics')
  expect(answer.status, answer.text).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('# '))
  for (const line of lines)
    expect(line).toMatch(/^[a-z_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?[\d.]+(e[+-]?\d+)?$/)
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}
const send = (token: string, body: string) =>
  api.request(token, '/v1/traces', { method: 'POST', headers: { 'content-type': 'application/json' }, body })

test('counts received telemetry, only for the calling tenant', async () => {
  const token = await api.client('telemetry')
  const span = { traceId: newTraceId(), spanId: newSpanId() }
  await send(token, otlpJson([span, { ...span, spanId: newSpanId() }]))
  await send(token, otlpJson([span, { ...span, name: 'another' }, { ...span, traceId: '0'.repeat(32) }]))
  expect((await send(token, 'not json')).status).toBe(400)
  const found = await metrics()
  const named = (name: string) => [...found].filter(([key]) => key.startsWith(name))
  expect(named('countersign_telemetry_spans_total')).toEqual([
    ['countersign_telemetry_spans_total{result="added"}', 2],
    ['countersign_telemetry_spans_total{result="repeated"}', 1],
    ['countersign_telemetry_spans_total{result="rejected"}', 2],
  ])
  expect(named('countersign_telemetry_requests_total')).toEqual([
    ['countersign_telemetry_requests_total{result="committed"}', 2],
    ['countersign_telemetry_requests_total{result="overloaded"}', 0],
    ['countersign_telemetry_requests_total{result="refused"}', 1],
  ])
})

test('shows when the log is signed, and when it differs from what was signed', async () => {
  // Values of a single reading, because other records may arrive at any time.
  await until(async () => {
    const found = await metrics()
    return (
      found.get('countersign_audit_unsigned_records') === 0 && found.get('countersign_audit_seal_lag_seconds') === 0
    )
  }, 'everything is covered by a checkpoint')
  expect((await metrics()).get('countersign_audit_broken_logs')).toBe(0)
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  await owner.query(
    `update audit_trees set broken_at = now(), broken_reason = 'a test'
     where tenant_id = (select id from tenants where slug = 'northwind')`,
  )
  await owner.end()
  expect((await metrics()).get('countersign_audit_broken_logs')).toBeGreaterThan(0)
})

test('counts open alarms by what disagreed', async () => {
  const named = (kind: string) => `countersign_open_alarms{kind="${kind}"}`
  expect((await metrics()).get(named('verification'))).toBe(0)
  const vera = await api.person('vera')
  const { items } = payload<{ items: { auditId: string }[] }>(await api.query(vera, 'audit.list', {}))
  const auditId = items[0]?.auditId ?? ''
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  await owner.query(`update audit_records set record = jsonb_set(record, '{reason}', '"x"') where audit_id = $1`, [
    auditId,
  ])
  await owner.end()
  const tenant = api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.externalId
  await until(async () => {
    const { status } = payload<{ status: string }>(await api.query(vera, 'traces.verify', { tenant, auditId }))
    return status === 'mismatch' ? true : undefined
  }, 'the changed record is covered by a checkpoint')
  const found = await metrics()
  expect([found.get(named('verification')), found.get(named('object'))]).toEqual([1, 0])
})

test('requires metrics:read', async () => {
  for (const [token, status] of [
    [undefined, 401],
    [await api.person('vera'), 403],
  ] as const)
    expect((await api.request(token, '/v1/metrics')).status).toBe(status)
})
