import { gzipSync } from 'node:zlib'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import {
  logsJson,
  logsProtobuf,
  metricKinds,
  metricsJson,
  metricsProtobuf,
  type TestLog,
} from '#server/testing/otlp-logs.ts'

// Logs and metrics over HTTP against the real server.

let api: TestApi
let token: string
let maria: string
let owner: Client
beforeAll(async () => {
  api = await startApi()
  token = await api.client('telemetry')
  maria = await api.person('maria')
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

type Body = string | Uint8Array<ArrayBuffer>
const send = (path: string, body: Body, headers: Record<string, string> = {}, bearer = token) =>
  api.request(bearer, path, {
    method: 'POST',
    headers: { 'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf', ...headers },
    body,
  })
const sendLogs = async (logs: TestLog[]) => (await send('/v1/logs', logsJson(logs))).body

type Entry = { spanId: string; parentSpanId: string | null; name: string; kind: string; attributes: { key: string }[] }
type Read = {
  trace: { name: string; agentName: string | null; spanCount: number }
  spans: (Entry & { startedAt: string; endedAt: string })[]
}
const read = async (traceId: string) => payload<Read>(await api.query(maria, 'traces.getTrace', { traceId }))
const prompt = 'What did Mr Novak order in May?'
const ids = () => ({ traceId: newTraceId(), spanId: newSpanId() })

describe('logs', () => {
  test('that name a span become entries below it, with the body masked, in each encoding', async () => {
    for (const encode of [logsJson, logsProtobuf])
      for (const zipped of [false, true]) {
        const { traceId, spanId } = ids()
        const log: TestLog = {
          traceId,
          spanId,
          eventName: 'gen_ai.user.message',
          severity: 'INFO',
          body: { pairs: [['content', prompt]] },
          attributes: [
            ['gen_ai.system', 'openai'],
            ['gen_ai.usage.input_tokens', 12],
          ],
        }
        const body = encode([log], [['service.name', 'shop']])
        const answer = zipped
          ? await send('/v1/logs', new Uint8Array(gzipSync(body)), {
              'content-encoding': 'gzip',
              'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf',
            })
          : await send('/v1/logs', body)
        expect([answer.status, answer.text]).toEqual([200, typeof body === 'string' ? '{}' : ''])
        const { trace, spans } = await read(traceId)
        expect(trace).toMatchObject({ name: 'gen_ai.user.message', agentName: 'shop', spanCount: 1 })
        expect(spans).toMatchObject([{ parentSpanId: spanId, name: 'gen_ai.user.message', kind: 'other' }])
        expect(spans[0]?.startedAt).toBe(spans[0]?.endedAt)
        expect(spans[0]?.spanId).not.toBe(spanId)
        const { rows } = await owner.query('select facts from spans where trace_id = $1', [traceId])
        expect(rows).toEqual([{ facts: { service: 'shop', scope: 'test' } }])
        const attributes = new Map(spans[0]?.attributes.map((pair) => [pair.key, pair]))
        expect(attributes.get('log.severity')).toEqual({ key: 'log.severity', value: 'INFO' })
        expect(attributes.get('body')).toMatchObject({ masked: { class: 'content' } })
        expect(JSON.stringify(spans)).not.toContain('Novak')
      }
  })

  test('without a text of their severity have the short name of its number', async () => {
    const severityOf = async (encode: typeof logsJson | typeof logsProtobuf, from: Partial<TestLog>) => {
      const { traceId, spanId } = ids()
      const answer = await send('/v1/logs', encode([{ traceId, spanId, body: 'x', ...from }]))
      expect(answer.status).toBe(200)
      const { spans } = await read(traceId)
      return new Map(spans[0]?.attributes.map((pair) => [pair.key, pair])).get('log.severity')
    }
    for (const encode of [logsJson, logsProtobuf]) {
      for (const [severityNumber, value] of [
        [1, 'TRACE'],
        [8, 'DEBUG4'],
        [9, 'INFO'],
        [14, 'WARN2'],
        [17, 'ERROR'],
        [24, 'FATAL4'],
      ] as const)
        expect(await severityOf(encode, { severityNumber })).toEqual({ key: 'log.severity', value })
      for (const severityNumber of [0, 25, -1]) expect(await severityOf(encode, { severityNumber })).toBeUndefined()
      expect(await severityOf(encode, { severity: 'notice', severityNumber: 10 })).toMatchObject({ value: 'notice' })
    }
    // An enumeration is an integer in OTLP; the record is worth more than its severity.
    expect(await severityOf(logsJson, { severityNumber: 'SEVERITY_NUMBER_INFO' })).toBeUndefined()
  })

  test('store no unencrypted prompt', async () => {
    await sendLogs([{ ...ids(), eventName: 'gen_ai.user.message', body: `${prompt} Tell me, said the fox.` }])
    const { rows } = await owner.query(`select 1 from spans where spans::text like '%said the fox%'`)
    expect(rows).toEqual([])
  })

  test('join the trace of their span, whichever arrives first, and leave name and agent to the root', async () => {
    const { traceId, spanId } = ids()
    const log = { traceId, spanId, eventName: 'gen_ai.choice', body: 'Two books.' }
    expect(await sendLogs([log])).toEqual({})
    const root = { traceId, spanId, name: 'chat', attributes: [['gen_ai.agent.name', 'planner']] as [string, string][] }
    expect((await send('/v1/traces', otlpJson([root]))).body).toEqual({})
    expect(await sendLogs([{ ...log, body: 'Three books.' }])).toEqual({})
    const { trace, spans } = await read(traceId)
    expect(trace).toMatchObject({ name: 'chat', agentName: 'planner', spanCount: 3 })
    expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId]).sort()).toEqual([
      ['chat', null],
      ['gen_ai.choice', spanId],
      ['gen_ai.choice', spanId],
    ])
  })

  test('add nothing when they are repeated, and one audit record covers what was added', async () => {
    const log = { ...ids(), body: 'once', eventName: 'a' }
    const count = async () =>
      (
        await owner.query<{ n: number }>(
          `select count(*)::int as n from audit_records where type = 'telemetry.received'`,
        )
      ).rows[0]?.n ?? 0
    const before = await count()
    expect(await sendLogs([log, log])).toEqual({})
    expect(await sendLogs([log])).toEqual({})
    expect((await read(log.traceId)).spans).toHaveLength(1)
    expect(await count()).toBe(before + 1)
    const { rows } = await owner.query(
      `select record->'details' as details from audit_records where type = 'telemetry.received' order by date desc, seq desc limit 1`,
    )
    expect(rows[0].details).toMatchObject({ signal: 'logs', spans: 1, repeated: 1, root: expect.any(String) })
  })

  test('that name no span are refused with the exact count, and the others are stored', async () => {
    const { traceId, spanId } = ids()
    const logs: TestLog[] = [
      { body: 'starting' },
      { traceId, spanId, observed: true, attributes: [['event.name', 'named by its attribute']] },
      { traceId, body: 'only a trace' },
      { traceId: '0'.repeat(32), spanId, body: 'not a trace id' },
    ]
    const reasons = 'a log record that does not name a span is not stored; a trace id is 16 bytes, not all zero'
    expect(await sendLogs(logs)).toEqual({ partialSuccess: { rejectedLogRecords: '3', errorMessage: reasons } })
    expect((await read(traceId)).spans.map(({ name }) => name)).toEqual(['named by its attribute'])
    const answer = await send('/v1/logs', logsProtobuf([{ body: 'x' }]))
    // ExportLogsPartialSuccess: rejected_log_records = 1.
    expect([answer.status, answer.text.charCodeAt(0), answer.text.charCodeAt(3)]).toEqual([200, 0x0a, 1])
  })

  test('have the budgets of traces', async () => {
    const log = JSON.parse(logsJson([ids()])).resourceLogs[0].scopeLogs[0].logRecords[0]
    const many = Array.from({ length: wireLimits.telemetry.spans + 1 }, () => log)
    const tooMany = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: many }] }] })
    expect((await send('/v1/logs', tooMany)).status).toBe(413)
    const groups = `{"resourceLogs":[${Array(wireLimits.telemetry.groups + 1).fill('{}')}]}`
    expect((await send('/v1/logs', groups)).status).toBe(413)
    expect((await send('/v1/logs', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":7}]}]}]}')).status).toBe(
      400,
    )
    expect((await send('/v1/logs', new Uint8Array([0xff, 0xff]))).status).toBe(400)
    expect((await send('/v1/logs', '{}', {}, await api.person('vera'))).status).toBe(403)
    expect((await send('/v1/logs', '{}', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('metrics', () => {
  test('are refused with 200 and the exact number of data points, in each encoding', async () => {
    const kinds = Object.keys(metricKinds) as (keyof typeof metricKinds)[]
    const points = Object.fromEntries(kinds.map((kind, index) => [kind, index + 1]))
    const answer = await send('/v1/metrics', metricsJson(points))
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        partialSuccess: { rejectedDataPoints: '15', errorMessage: expect.stringContaining('Metrics are not stored.') },
      },
    ])
    const binary = await send('/v1/metrics', metricsProtobuf(points))
    expect([binary.status, binary.headers.get('content-type'), binary.text.charCodeAt(3)]).toEqual([
      200,
      'application/x-protobuf',
      15,
    ])
    expect(binary.text).toContain('OTEL_METRICS_EXPORTER=none')
  })

  test('of an empty request get an empty success', async () => {
    for (const body of [
      '{}',
      '{"resourceMetrics":[]}',
      metricsJson({}),
      new Uint8Array(),
      metricsProtobuf({ sum: 0 }),
    ]) {
      const answer = await send('/v1/metrics', body)
      expect([answer.status, answer.text]).toEqual([200, typeof body === 'string' ? '{}' : ''])
    }
  })

  test('have the budgets of traces, and leave GET to Prometheus', async () => {
    const groups = `{"resourceMetrics":[${Array(wireLimits.telemetry.groups + 1).fill('{}')}]}`
    expect((await send('/v1/metrics', groups)).status).toBe(413)
    expect((await send('/v1/metrics', metricsProtobuf({ gauge: wireLimits.telemetry.values }))).status).toBe(413)
    for (const body of ['[', '{"resourceMetrics":7}', new Uint8Array([0x0a, 0xff])])
      expect((await send('/v1/metrics', body)).status).toBe(400)
    expect((await send('/v1/metrics', '{}', {}, maria)).status).toBe(403)
    const scraped = await api.request(await api.person('omar'), '/v1/metrics')
    expect([scraped.status, scraped.text]).toEqual([200, expect.stringContaining('countersign_')])
  })
})
