import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { otlpJson, otlpProtobuf, type TestSpan } from '#server/testing/otlp.ts'

// OTLP over HTTP against the real server.

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
const send = (body: Body, headers: Record<string, string> = {}, bearer: string | null = token) =>
  api.request(bearer ?? undefined, '/v1/traces', {
    method: 'POST',
    headers: { 'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf', ...headers },
    body,
  })

type Read = {
  trace: { name: string; agentId: string | null }
  spans: { spanId: string; name: string; kind: string; status: string; origin?: string; attributes: unknown[] }[]
}
const read = async (traceId: string) => payload<Read>(await api.query(maria, 'traces.getTrace', { traceId }))
const rowsIn = async (table: string) =>
  (await owner.query<{ rows: number }>(`select count(*)::int as rows from ${table}`)).rows[0]?.rows ?? 0

const span = (from: Partial<TestSpan> = {}): TestSpan => ({ traceId: newTraceId(), spanId: newSpanId(), ...from })

describe('encodings', () => {
  test('protobuf and JSON, with and without gzip, store the same spans', async () => {
    for (const [encode, gzip] of [
      [otlpJson, false],
      [otlpJson, true],
      [otlpProtobuf, false],
      [otlpProtobuf, true],
    ] as const) {
      const root = span({
        name: 'invoke_agent planner',
        attributes: [
          ['gen_ai.operation.name', 'invoke_agent'],
          ['gen_ai.agent.name', 'planner'],
          ['retries', 3],
          ['ratio', 0.5],
          ['cached', false],
          ['labels', ['a', 'b']],
          [
            'nested',
            {
              pairs: [
                ['__proto__', 'x'],
                ['constructor', 1],
              ],
            },
          ],
        ],
        status: { code: 2, message: 'it broke for pavel.novak@mail.example' },
      })
      const body = encode([root, { ...span(), traceId: root.traceId, parentSpanId: root.spanId }])
      const answer = gzip
        ? await send(new Uint8Array(gzipSync(body)), {
            'content-encoding': 'gzip',
            'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf',
          })
        : await send(body)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.headers.get('content-type')).toBe(
        encode === otlpJson ? 'application/json' : 'application/x-protobuf',
      )
      expect(answer.text).toBe(encode === otlpJson ? '{}' : '')
      const { trace, spans } = await read(root.traceId)
      expect(trace.name).toBe('invoke_agent planner')
      expect(spans[0]).toMatchObject({ kind: 'agent', status: 'error', origin: 'telemetry' })
      expect(spans[0]?.attributes).toEqual([
        { key: 'gen_ai.operation.name', value: 'invoke_agent' },
        { key: 'gen_ai.agent.name', value: 'planner' },
        { key: 'retries', value: 3 },
        { key: 'ratio', value: 0.5 },
        { key: 'cached', value: false },
        { key: 'labels', value: ['a', 'b'] },
        {
          key: 'nested',
          value: [
            { key: '__proto__', value: 'x' },
            { key: 'constructor', value: 1 },
          ],
        },
        { key: 'otel.status_description', masked: { class: 'error', length: 37 } },
      ])
    }
  })

  test('an empty request is accepted and writes nothing', async () => {
    const before = await rowsIn('audit_records')
    for (const body of ['{}', '{"resourceSpans":[]}', new Uint8Array()]) expect((await send(body)).status).toBe(200)
    expect(await rowsIn('audit_records')).toBe(before)
  })
})

describe('received spans', () => {
  test('the same batch again, in either encoding, adds nothing', async () => {
    const traceId = newTraceId()
    const batch = Array.from({ length: 5 }, () => span({ traceId, attributes: [['step', 1]] }))
    expect((await send(otlpJson(batch))).text).toBe('{}')
    const counted = await Promise.all(['spans', 'audit_records', 'telemetry_batches', 'traces'].map(rowsIn))
    for (const body of [otlpJson(batch), otlpProtobuf(batch), otlpJson([...batch, ...batch])]) {
      const answer = await send(body)
      expect([answer.status, answer.text === '{}' || answer.text === '']).toEqual([200, true])
    }
    expect(await Promise.all(['spans', 'audit_records', 'telemetry_batches', 'traces'].map(rowsIn))).toEqual(counted)
    expect((await read(traceId)).spans).toHaveLength(5)
  })

  test('the same batch in many concurrent requests is stored once', async () => {
    const traceId = newTraceId()
    const batch = Array.from({ length: 20 }, () => span({ traceId }))
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(otlpJson(batch))))
    expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(Array(8).fill('200 {}'))
    expect((await read(traceId)).spans).toHaveLength(20)
    const { rows } = await owner.query('select span_count, change_count from traces where trace_id = $1', [traceId])
    expect(rows).toEqual([{ span_count: 20, change_count: 20 }])
  })

  test('partial success counts the refused spans exactly and states the reason', async () => {
    const good = span()
    const batch = [
      good,
      span({ spanId: '00000000000000' }),
      span({ traceId: '0'.repeat(32) }),
      span({ startMs: 0 }),
      { ...good, name: 'another under the same id' },
    ]
    const json = await send(otlpJson(batch))
    expect(json.status).toBe(200)
    expect(json.body).toEqual({
      partialSuccess: { rejectedSpans: '4', errorMessage: expect.stringContaining('a span id is 8 bytes') },
    })
    expect((await read(good.traceId)).spans.map(({ name }) => name)).toEqual(['work'])
    const again = await send(otlpJson([{ ...good, name: 'changed afterwards' }]))
    expect(again.body).toMatchObject({ partialSuccess: { rejectedSpans: '1' } })
    expect((await read(good.traceId)).spans.map(({ name }) => name)).toEqual(['work'])
  })

  test('keys such as constructor and __proto__ and a span with 10,000 attributes stay readable', async () => {
    const names = ['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty']
    const many = span({
      attributes: [
        ...names.map((name): [string, string] => [name, name]),
        ...Array.from({ length: 10_000 }, (_, index): [string, number] => [`n${index}`, index]),
      ],
    })
    expect((await send(otlpJson([many]))).text).toBe('{}')
    const [read1] = (await read(many.traceId)).spans
    expect(read1?.attributes).toHaveLength(10_005)
    expect(JSON.stringify(read1?.attributes.slice(0, 5))).toBe(
      JSON.stringify(names.map((name) => ({ key: name, value: name }))),
    )
  })

  test('values that PostgreSQL and JSON cannot represent are stored as closely as possible', async () => {
    const odd = span({ name: 'nul \u0000 and \u001e\u001d here', attributes: [['nul', 'a\u0000b']] })
    expect((await send(otlpProtobuf([odd]))).text).toBe('')
    const { spans } = await read(odd.traceId)
    expect(spans).toMatchObject([{ name: 'nul \ufffd and   here', attributes: [{ key: 'nul', value: 'a\ufffdb' }] }])
  })

  test('the agent of a trace is its root’s, and the service’s until the root arrives', async () => {
    const traceId = newTraceId()
    const rootId = newSpanId()
    const agentOf = async () =>
      (
        await owner.query<{ name: string | null }>('select agent_name as name from traces where trace_id = $1', [
          traceId,
        ])
      ).rows[0]?.name
    const named = (agent: string): [string, string][] => [['gen_ai.agent.name', agent]]
    const child = span({ traceId, parentSpanId: rootId, attributes: named('helper') })
    await send(otlpJson([child], [['service.name', 'shop']]))
    expect(await agentOf()).toBe('shop')
    await send(otlpJson([span({ traceId, spanId: rootId, attributes: named('planner') })], [['service.name', 'shop']]))
    expect(await agentOf()).toBe('planner')
    await send(otlpJson([span({ traceId, parentSpanId: rootId, attributes: named('helper') })], []))
    expect(await agentOf()).toBe('planner')
    // In one request, in any order, and without a service.
    const [first, second] = [newTraceId(), newTraceId()]
    const rootOf = (id: string) => span({ traceId: id, attributes: named('planner') })
    const childOf = (id: string) => span({ traceId: id, parentSpanId: newSpanId(), attributes: named('helper') })
    await send(otlpProtobuf([childOf(first), rootOf(first), childOf(second)]))
    const { rows } = await owner.query('select agent_name as name from traces where trace_id = any($1) order by 1', [
      [first, second],
    ])
    expect(rows).toEqual([{ name: 'helper' }, { name: 'planner' }])
  })

  test('a span without a name is of its nearest ancestor with one, not an agent called like its service', async () => {
    const service = (name: string): [string, string][] => [['service.name', name]]
    const named = (agent: string): [string, string][] => [['gen_ai.agent.name', agent]]
    const listed = async (...names: string[]) => {
      const answer = await api.query(maria, 'agents.observed', { limit: 200 })
      const { items } = payload<{ items: { name: string }[] }>(answer)
      return items.map(({ name }) => name).filter((name) => names.includes(name))
    }
    const [traceId, rootId, chatId] = [newTraceId(), newSpanId(), newSpanId()]
    const chat = span({
      traceId,
      spanId: chatId,
      parentSpanId: rootId,
      attributes: [['gen_ai.operation.name', 'chat']],
    })
    const root = span({ traceId, spanId: rootId, attributes: named('Proto bot') })
    // Children first, in the request and over two of them.
    await send(otlpJson([span({ traceId, parentSpanId: chatId })], service('proto-bot-service')))
    await send(otlpJson([chat, root], service('proto-bot-service')))
    expect(await listed('Proto bot', 'proto-bot-service')).toEqual(['Proto bot'])

    // One that has the name of its service is still an agent of its own, and so is the service of a root without a name.
    const other = newTraceId()
    const outer = span({ traceId: other, attributes: named('Outer bot') })
    const inner = span({ traceId: other, parentSpanId: outer.spanId, attributes: named('inner-bot') })
    await send(otlpJson([inner, outer], service('inner-bot')))
    await send(otlpJson([span()], service('plain-service')))
    expect(await listed('Outer bot', 'inner-bot', 'plain-service')).toEqual(['Outer bot', 'inner-bot', 'plain-service'])

    // Spans that name each other as parents end nowhere.
    const [loop, a, b] = [newTraceId(), newSpanId(), newSpanId()]
    const loops = [
      span({ traceId: loop, spanId: a, parentSpanId: b }),
      span({ traceId: loop, spanId: b, parentSpanId: a }),
    ]
    expect((await send(otlpJson(loops, service('loop-service')))).status).toBe(200)
    expect(await listed('loop-service')).toEqual([])
  })

  test('unregistered agents are listed as such', async () => {
    const spans = [span({ attributes: [['gen_ai.agent.name', 'shadow-bot']] }), span()]
    await send(otlpJson(spans, [['service.name', 'billing-agent']]))
    const { items } = payload<{ items: { name: string; registered: boolean }[] }>(
      await api.query(maria, 'agents.observed', {}),
    )
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'shadow-bot', registered: false }),
        expect.objectContaining({ name: 'billing-agent', registered: false }),
      ]),
    )
    const named = async (registered: boolean) =>
      payload<{ items: { name: string }[] }>(await api.query(maria, 'agents.observed', { registered, limit: 200 }))
        .items
    expect(await named(false)).toContainEqual(expect.objectContaining({ name: 'shadow-bot' }))
    expect(await named(true)).not.toContainEqual(expect.objectContaining({ name: 'shadow-bot' }))
  })
})

describe('limits', () => {
  test('more than 16 MiB, sent or decompressed, gets 413, and a bomb is never decompressed whole', async () => {
    // Created first and asynchronously: a connection that idles in the meantime is closed, and the sender must notice that.
    const bomb = new Uint8Array(await promisify(gzip)(Buffer.alloc(256 * 1024 * 1024)))
    const big = `{"x":"${'a'.repeat(17 * 1024 * 1024)}"}`
    expect((await send(big)).status).toBe(413)
    const answer = await send(bomb, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
    expect([answer.status, answer.body]).toMatchObject([413, { reason: 'payload_too_large' }])
    expect((await send('{}')).status).toBe(200)
  }, 60_000)

  test('a small body cannot occupy much memory', async () => {
    // Two bytes for each empty span, and for each empty attribute.
    const prefix = (bytes: Uint8Array, field: number) => {
      const length: number[] = []
      for (let rest = bytes.length; ; rest = Math.floor(rest / 128)) {
        if (rest < 128) {
          length.push(rest)
          break
        }
        length.push((rest % 128) + 128)
      }
      return Buffer.concat([Buffer.from([field * 8 + 2, ...length]), bytes])
    }
    const spans = Buffer.alloc(8 * 1024 * 1024)
    for (let at = 0; at < spans.length; at += 2) spans[at] = 0x12
    const wrap = (scope: Uint8Array) => new Uint8Array(prefix(prefix(scope, 2), 1))
    expect((await send(wrap(spans))).status).toBe(413)
    const attributes = Buffer.alloc(8 * 1024 * 1024)
    for (let at = 0; at < attributes.length; at += 2) attributes[at] = 0x4a
    expect((await send(wrap(prefix(attributes, 2)))).status).toBe(413)
  }, 60_000)
})

describe('a refusal', () => {
  /** The message of a google.rpc.Status that has nothing else. */
  const messageIn = (bytes: Uint8Array) => {
    const reader = new BinaryReader(bytes)
    expect(reader.tag()).toEqual([2, WireType.LengthDelimited])
    const message = reader.string()
    expect(reader.pos).toBe(reader.len)
    return message
  }
  const post = (path: string, body: Body, headers: Record<string, string>) =>
    fetch(new URL(path, api.baseUrl), { method: 'POST', headers, body })

  test('is a Status in the encoding of the request, for each signal', async () => {
    const bearer = { authorization: `Bearer ${token}` }
    for (const path of ['/v1/traces', '/v1/logs', '/v1/metrics'])
      for (const [status, headers] of [
        [401, {}],
        [403, { authorization: `Bearer ${maria}` }],
        [400, bearer],
      ] as const) {
        const binary = await post(path, new Uint8Array([0xff]), {
          'content-type': 'application/x-protobuf',
          ...headers,
        })
        expect([path, binary.status, binary.headers.get('content-type')]).toEqual([
          path,
          status,
          'application/x-protobuf',
        ])
        const message = messageIn(new Uint8Array(await binary.arrayBuffer()))
        const json = await post(path, '{', { 'content-type': 'application/json; charset=utf-8', ...headers })
        expect([path, json.status, json.headers.get('content-type')]).toEqual([path, status, 'application/json'])
        const body = await json.json()
        expect(body).toMatchObject({
          message: expect.any(String),
          error: body.message,
          reason: expect.stringMatching(/^[a-z_]+$/),
          requestId: json.headers.get('x-request-id'),
          retryable: false,
        })
        expect(body).not.toHaveProperty('code')
        if (status !== 400) expect(message).toBe(body.message)
        expect(binary.headers.has('www-authenticate')).toBe(status === 401)
      }
  })

  test('of an unknown encoding is JSON', async () => {
    const answer = await send('x', { 'content-type': 'text/plain' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([415, 'application/json'])
    expect(answer.body).toMatchObject({ message: 'Send OTLP as application/x-protobuf or application/json.' })
  })

  test('of a tenant without a membership has the body of the API, and names no tenant in protobuf either', async () => {
    const selecting = { 'x-svc-tenant-external-id': 'org-unknown' }
    expect(await send('{}', selecting)).toMatchObject({ status: 403, text: '{"error":"Tenant access denied"}' })
    const headers = { 'content-type': 'application/x-protobuf', authorization: `Bearer ${token}`, ...selecting }
    const binary = await post('/v1/traces', new Uint8Array(), headers)
    expect(messageIn(new Uint8Array(await binary.arrayBuffer()))).toBe('Tenant access denied')
  })
})

describe('sending telemetry', () => {
  test('requires telemetry:write, for any body', async () => {
    expect((await send('not json', {}, maria)).status).toBe(403)
    expect((await send('not json', {}, null)).status).toBe(401)
  })

  test('cannot write into a trace of another tenant', async () => {
    const mine = span({ name: 'mine' })
    await send(otlpJson([mine]))
    const other = await api.client('telemetry', 'globex')
    const answer = await send(otlpJson([{ ...mine, name: 'theirs' }]), {}, other)
    // In that tenant it is a different trace.
    expect([answer.status, answer.text]).toEqual([200, '{}'])
    expect((await read(mine.traceId)).spans.map(({ name }) => name)).toEqual(['mine'])
  })
})
