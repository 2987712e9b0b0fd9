import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { type HttpCall, startCollector } from '#server/testing/fakes/siem-receivers.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// Spans of the server itself, at the collector of its operator. The tests run in this order: the last one ends the server.

/** The operation of POST /v1/traces. */
const ofTelemetry = 'telemetry.export'
const header = 'a-header-that-no-log-may-show'
let collector: Awaited<ReturnType<typeof startCollector>>
let api: TestApi
beforeAll(async () => {
  collector = await startCollector({ status: 200, body: {} })
  api = await startApi({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${header}`,
    LOG_LEVEL: 'info',
  })
}, 180_000)
afterAll(async () => {
  await api.close()
  await collector.close()
})

type Attribute = { key: string; value: Record<string, unknown> }
type Span = { traceId: string; spanId: string; parentSpanId?: string; name: string; attributes: Attribute[] } & Record<
  string,
  unknown
>
const spansIn = ({ body }: HttpCall): Span[] => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans
const spans = () => collector.calls.flatMap(spansIn)
const find = (name: string, more: (span: Span) => boolean = () => true) =>
  until(async () => spans().find((span) => span.name === name && more(span)), `a span ${name} arrived`)
const attribute = ({ attributes }: Span, name: string) => attributes.find(({ key }) => key === name)?.value

test('a request has a span with its operation, and below it the transactions that it ran', async () => {
  const answer = await api.query(await api.person('omar'), 'agents.list', {})
  payload(answer)
  const requestId = answer.headers.get('x-request-id')
  const request = await find(
    'agents.list',
    (span) => attribute(span, 'countersign.request.id')?.stringValue === requestId,
  )
  expect(request).toMatchObject({ kind: 2, traceId: expect.stringMatching(/^[0-9a-f]{32}$/) })
  expect(request.parentSpanId).toBeUndefined()
  expect(attribute(request, 'http.response.status_code')).toEqual({ intValue: '200' })
  const transaction = await find('transaction', ({ parentSpanId }) => parentSpanId === request.spanId)
  expect(transaction).toMatchObject({ kind: 3, traceId: request.traceId })
  const [start, end] = [transaction.startTimeUnixNano, transaction.endTimeUnixNano].map((text) => BigInt(String(text)))
  expect(
    start !== undefined && end !== undefined && start <= end && start >= BigInt(String(request.startTimeUnixNano)),
  ).toBe(true)
  expect(collector.calls.every(({ path, authorization }) => path === '/v1/traces' && authorization === header)).toBe(
    true,
  )
})

test('a job has a span below which its transactions are', { timeout: 180_000 }, async () => {
  const agentId = await releaseRefundAgent(api, 'refund-traced')
  const input = { agentId, environment: 'production', input: { orderId: 'A-1002' } }
  payload(await api.mutate(await api.person('maria'), 'executions.execute', input))
  const job = await find('job executions')
  expect(job).toMatchObject({ kind: 5 })
  expect(attribute(job, 'countersign.attempt')).toEqual({ intValue: '1' })
  await find('transaction', ({ parentSpanId }) => parentSpanId === job.spanId)
})

test('a collector that fails costs spans and nothing else, and the log says so once, without a secret', async () => {
  collector.behave(() => ({ status: 503, body: {} }))
  const before = collector.calls.length
  const omar = await api.person('omar')
  await until(async () => {
    payload(await api.query(omar, 'agents.list', {}))
    return collector.calls.length >= before + 2 ? true : undefined
  }, 'the collector refused two batches')
  collector.recover()
  const lost = await until(
    async () => api.logged().match(/.*the collector did not take spans.*/g) ?? undefined,
    'a line',
  )
  expect(lost).toHaveLength(1)
  expect(lost[0]).toContain('The collector answered 503.')
  expect(api.logged()).not.toContain(header)
})

test('a server that is its own collector takes its spans without recording spans of them', async () => {
  const token = await api.client('telemetry')
  const statuses: number[] = []
  const bringBack = async (call: HttpCall, agent: string) => {
    const headers = { 'content-type': 'application/json', 'user-agent': agent }
    statuses.push((await api.request(token, call.path, { method: 'POST', headers, body: call.body })).status)
  }
  // As a proxy that leads back to the server.
  collector.behave((call) => {
    void bringBack(call, call.userAgent ?? '')
    return { status: 200, body: {} }
  })
  const omar = await api.person('omar')
  await until(async () => {
    payload(await api.query(omar, 'agents.list', {}))
    return statuses.length >= 2 ? true : undefined
  }, 'two batches were brought back')
  collector.recover()
  // What another sender brings has a span.
  const [call] = collector.calls
  if (call !== undefined) await bringBack(call, 'other')
  await find(ofTelemetry)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('the end of the process sends what is left, and no span ever named a tenant, a person or a secret', async () => {
  const answer = await api.query(await api.person('omar'), 'agents.list', {})
  const requestId = answer.headers.get('x-request-id')
  const ended = once(api.process, 'exit')
  api.process.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(spans().some((span) => attribute(span, 'countersign.request.id')?.stringValue === requestId)).toBe(true)
  expect(spans().filter(({ name }) => name === ofTelemetry)).toHaveLength(1)
  const known = new Set([
    'http.request.method',
    'http.response.status_code',
    'countersign.kind',
    'countersign.operations',
    'countersign.request.id',
    'countersign.queue',
    'countersign.attempt',
    'countersign.transaction',
    'db.system.name',
  ])
  expect(
    spans()
      .flatMap(({ attributes }) => attributes)
      .filter(({ key }) => !known.has(key)),
  ).toEqual([])
  const text = JSON.stringify(spans())
  for (const { id, slug, externalId } of api.credentials.tenants)
    for (const name of [id, slug, externalId]) expect(text).not.toContain(name)
  expect(text).not.toMatch(/omar|maria|A-1002|Bearer/)
})
