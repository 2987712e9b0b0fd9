import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'

// Invalid HTTP requests are refused with the reason, change nothing, and are never a 5xx.

let api: TestApi
let ci: string
let asOwner: Client
beforeAll(async () => {
  api = await startApi()
  ci = await api.client('ci-pipeline')
  asOwner = new Client({ connectionString: api.ownerUrl })
  await asOwner.connect()
}, 180_000)
afterAll(async () => {
  await asOwner.end()
  await api.close()
})

const json = { 'content-type': 'application/json' }
const post = async (path: string, body: string | Uint8Array<ArrayBuffer> | FormData, headers: HeadersInit = json) => {
  const answer = await api.request(ci, path, { method: 'POST', headers, body })
  return [answer.status, reason(answer)]
}
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const agentOf = async () =>
  payload<{ items: { id: string }[] }>(await api.query(ci, 'agents.list', { limit: 1 })).items[0]?.id

describe.each(['/v1/agents.create', '/v1/policies'])('a body sent to %s', (path) => {
  test.each([
    ['text', 'name: a', { 'content-type': 'text/plain' }, [415, 'unsupported_media_type']],
    ['a stream', 'name: a', { 'content-type': 'application/octet-stream' }, [415, 'unsupported_media_type']],
    ['a form', new FormData(), {}, [415, 'unsupported_media_type']],
    ['not JSON', '{"yaml": ', json, [400, 'bad_request']],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), json, [400, 'bad_request']],
    ['empty', '', json, [400, 'bad_request']],
    ['another shape', '[]', json, [400, 'validation_failed']],
    ['nested 200,000 levels deep', nested(200_000), json, [400, 'bad_request']],
    ['more than 1 MiB', JSON.stringify('x'.repeat(1024 * 1024)), json, [413, 'payload_too_large']],
  ])('that is %s', async (_what, body, headers, expected) => {
    expect(await post(path, body, headers)).toEqual(expected)
  })

  test('reveals nothing about the problem to a caller without the permission, not even that it is not JSON', async () => {
    const bot = await api.client('decisions-bot')
    const answer = await api.request(bot, path, { method: 'POST', headers: json, body: '{' })
    expect([answer.status, reason(answer)]).toEqual([403, 'forbidden'])
  })
})

describe('an input that could not be stored exactly is refused', () => {
  test.each([
    ['U+0000', String.raw`{"a":"\u0000"}`],
    ['half a surrogate pair', String.raw`{"a":"\ud800"}`],
    ['half a surrogate pair in a key', String.raw`{"\udfff":1}`],
    ['a number beyond 2^53', '{"a":9007199254740993}'],
    ['an infinite number', '{"a":1e400}'],
  ])('%s', async (_what, input) => {
    const body = `{"agentId":"${await agentOf()}","environment":"production","input":${input}}`
    expect((await post('/v1/executions.execute', body))[0]).toBe(400)
    expect((await post('/v1/executions.execute', body, { ...json, 'idempotency-key': 'once' }))[0]).toBe(400)
  })

  test.each([
    ['U+0000', String.raw`x: "\0"`],
    ['half a surrogate pair', String.raw`"\ud800": x`],
    ['a version of 5,000 characters', `version: ${'v'.repeat(5000)}`],
  ])('%s in a manifest', async (_what, line) => {
    const answer = await api.mutate(ci, 'agents.create', { yaml: `name: refused\n${line}` })
    expect([answer.status, reason(answer)]).toEqual([400, 'invalid_manifest'])
  })

  test('a whole number too large for its column', async () => {
    const id = '01a1f934-0000-7000-8000-000000000000'
    expect((await api.query(ci, 'executions.getEvents', { id, afterSeq: 2 ** 40 })).status).toBe(400)
    expect((await post(`/v1/policies/${id}/versions/99999999999/publish`, '{}'))[0]).toBe(400)
  })
})

describe('JSON that programs read differently is refused with its path', () => {
  const flaws: [what: string, member: string, path: string][] = [
    ['a member that JavaScript may drop', '"a":[1,{"__proto__":{"to":"evil"}}]', 'a.1.__proto__'],
    ['one with escapes in its name', String.raw`"__pro\u0074o__":{}`, '__proto__'],
    ['two members of one name', '"b":{"command":"a","x":[1],"command":"b"}', 'b.command'],
    ['two, one with an escape', String.raw`"command":"a","comm\u0061nd":"b"`, 'command'],
    ['a whole number in thirty digits', '"n":[0,123456789012345678901234567890]', 'n.1'],
    ['a fraction that would be rounded', '"n":3.14159265358979323846', 'n'],
  ]
  const args = (flaw: string) =>
    `{"agentId":"${randomUUID()}","environment":"production","tool":"t","arguments":{${flaw}}}`
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
  const calls: [door: string, path: string, body: (flaw: string) => string, before: string][] = [
    ['a procedure', '/v1/policies.evaluate', args, 'arguments.'],
    ['a procedure with an envelope', '/v1/approvals.request', (flaw) => `{"json":${args(flaw)}}`, 'json.arguments.'],
    [
      'a batch',
      '/v1/policies.evaluate,policies.evaluate?batch=1',
      (flaw) => `{"0":{},"1":${args(flaw)}}`,
      '1.arguments.',
    ],
    ['a route', '/v1/policies', (flaw) => `{"name":"p","labels":{${flaw}}}`, 'labels.'],
    ['input events', '/v1/input-events', (flaw) => `{"data":{${flaw}}}`, 'data.'],
    [
      'the gateway',
      '/v1/mcp/t/org-northwind-mutual/refund-assistant/payments',
      (flaw) =>
        JSON.stringify({ ...message, params: {} }).replace(
          '"params":{}',
          `"params":{"name":"x","arguments":{${flaw}}}`,
        ),
      'params.arguments.',
    ],
  ]
  test.each(calls)('by %s', async (_door, path, body, before) => {
    const caller = await api.person('maria')
    for (const [what, flaw, place] of flaws) {
      const answer = await api.request(caller, path, {
        method: 'POST',
        headers: { ...json, accept: 'application/json, text/event-stream', 'idempotency-key': randomUUID() },
        body: body(flaw),
      })
      expect([what, answer.status, reason(answer)]).toEqual([what, 400, 'bad_request'])
      expect(answer.text, what).toContain(`${before}${place}: Contains `)
    }
  })

  test('in an address', async () => {
    for (const [what, flaw] of flaws) {
      const answer = await api.request(ci, `/v1/agents.list?input=${encodeURIComponent(`{"json":{${flaw}}}`)}`)
      expect([what, answer.status, reason(answer)]).toEqual([what, 400, 'bad_request'])
    }
  })

  test.each(['constructor: {}, __proto__: {to: evil}', '"__pro\\x74o__": 1'])('in a manifest: %s', async (members) => {
    const yaml = `name: refused\nspec: {runtime: {steps: [{id: a, tool: {server: s, name: n, arguments: {${members}}}}]}}`
    const answer = await api.mutate(await api.person('maria'), 'agents.create', { yaml })
    expect([answer.status, reason(answer)]).toEqual([400, 'invalid_manifest'])
    expect(answer.text).toContain('can’t be named __proto__')
  })

  test('but not a number that a double keeps, nor the same name in two objects', async () => {
    const kept = '{"a":{"n":1e21,"x":0.10000000000000001},"b":{"n":-1.50,"x":"\\"n\\":1,\\"n\\":2"}}'
    const body = `{"agentId":"${await agentOf()}","environment":"production","input":${kept}}`
    expect((await post('/v1/executions.execute', body))[0]).toBe(200)
  })
})

describe('a body whose headers say that it is encoded is refused', () => {
  test.each([
    '/v1/policies.evaluate',
    '/v1/policies',
    '/v1/input-events',
    '/v1/mcp/t/org-northwind-mutual/refund-assistant/payments',
  ])('by %s', async (path) => {
    const caller = await api.person('maria')
    const status = async (headers: Record<string, string>) => {
      const sent = { ...json, accept: 'application/json, text/event-stream', ...headers }
      return (await api.request(caller, path, { method: 'POST', headers: sent, body: '{}' })).status
    }
    for (const coding of ['gzip', 'br', 'identity, gzip', 'aws-chunked'])
      expect([coding, await status({ 'content-encoding': coding })]).toEqual([coding, 415])
    for (const charset of ['utf-16', '"UTF-16LE"', 'iso-8859-1', ''])
      expect([charset, await status({ 'content-type': `application/json; a=b; Charset=${charset}` })]).toEqual([
        charset,
        415,
      ])
    expect(await status({ 'content-encoding': 'Identity' })).not.toBe(415)
    for (const charset of ['utf-8', '"UTF-8"', 'utf8'])
      expect([charset, await status({ 'content-type': `application/json;charset=${charset}` })]).not.toEqual([
        charset,
        415,
      ])
  })
})

test('the issues of an input are a sentence each', async () => {
  const answer = await api.mutate(ci, 'policies.evaluate', { action: 'call' })
  const { error } = JSON.parse(answer.text)
  expect(error.json.message).toMatch(/^agentId: Required\. environment: Required\. /)
  expect(error.json.message).not.toContain(';')
})

test('an Idempotency-Key has a maximum length', async () => {
  const body = `{"agentId":"${await agentOf()}","environment":"production","input":{}}`
  for (const key of ['', 'k'.repeat(201)])
    expect(await post('/v1/executions.execute', body, { ...json, 'idempotency-key': key })).toEqual([
      400,
      'bad_request',
    ])
})

test('ten starts with one idempotencyKey are one execution with one record of the start', async () => {
  const agentId = await agentOf()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      api.mutate(ci, 'executions.execute', { agentId, environment: 'production', input: {}, idempotencyKey: 'ten' }),
    ),
  )
  const ids = new Set(answers.map((answer) => payload<{ executionId: string }>(answer).executionId))
  expect(ids.size).toBe(1)
  const records = await asOwner.query<{ repeated: boolean | null }>(
    `select (record->'details'->>'repeated')::boolean as repeated from audit_records
     where type = 'execution.started' and record->'resource'->>'id' = any($1)`,
    [[...ids]],
  )
  expect(records.rows).toHaveLength(10)
  expect(records.rows.filter(({ repeated }) => repeated === null)).toHaveLength(1)
})

test('a batch of eleven is refused', async () => {
  const path = `/v1/${Array(11).fill('tenants.current').join(',')}?batch=1&input=%7B%7D`
  expect((await api.request(ci, path)).status).toBe(400)
})

test.each([
  ['a batch of eleven', `/v1/${Array(11).fill('tenants.current').join(',')}?batch=1&input=%7B%7D`],
  ['an input that is not JSON', '/v1/agents.get?input=%7B'],
  ['an unknown procedure', '/v1/agents.there-is-none'],
])('an error before the procedure contains the request id: %s', async (_what, path) => {
  const answer = await api.request(ci, path)
  expect(answer.status).toBeGreaterThanOrEqual(400)
  const [error] = [JSON.parse(answer.text)].flat()
  expect(error).toMatchObject({ error: { json: { data: { requestId: answer.headers.get('x-request-id') } } } })
})

describe('a parameter that is not read is refused', () => {
  const input = encodeURIComponent('{"json":{}}')
  const advice = 'Send the input as one parameter: input={"json":{…}}.'
  test.each([
    ['GET', '/v1/agents.list?limit=abc', `Unknown parameter limit. ${advice}`],
    ['GET', '/v1/agents.get?id=019a0000-0000-7000-8000-000000000000', `Unknown parameter id. ${advice}`],
    ['GET', `/v1/agents.list?input=${input}&limit=1&foo=&limit=2`, `Unknown parameters limit, foo. ${advice}`],
    ['GET', '/v1/agents.list,tenants.current?batch=1&input=%7B%7D&limit=1', `Unknown parameter limit. ${advice}`],
    ['GET', '/v1/agents.list?lastEventId=1', `Unknown parameter lastEventId. ${advice}`],
    ['GET', '/v1/changes.stream?topics=agents', `Unknown parameter topics. ${advice}`],
    ['POST', `/v1/agents.create?input=${input}`, 'Unknown parameter input. Send the input in the body: {"json":{…}}.'],
    ['POST', '/v1/policies?name=a', 'Unknown parameter name. This route reads none.'],
    ['GET', '/v1/files/019a0000-0000-7000-8000-000000000000?as=a', 'Unknown parameter as. This route reads none.'],
    ['POST', '/v1/files?nam=a', 'Unknown parameter nam. This route reads name.'],
    [
      'POST',
      '/v1/mcp/t/org-northwind-mutual/refund-assistant/payments?enviroment=staging',
      'Unknown parameter enviroment. This route reads environment.',
    ],
  ])('%s %s', async (method, path, message) => {
    const init = method === 'POST' ? { method, headers: json, body: '{}' } : {}
    const answer = await api.request(await api.person('maria'), path, init)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(JSON.parse(answer.text))).toContain(JSON.stringify(message).slice(1, -1))
  })

  test('only from callers with the permission', async () => {
    const bot = await api.client('decisions-bot')
    expect((await api.request(bot, '/v1/agents.list?limit=1')).status).toBe(403)
  })

  test('but not by the log, which always ignored others', async () => {
    const log = (query: string) => api.request(ci, `/v1/log/t/org-northwind-mutual/keys?${query}`)
    const answer = await log('seals=0&format=json')
    expect(answer.status, answer.text).toBe(200)
    // The heads that a caller knows are read.
    expect((await log('seals=none')).status).toBe(400)
  })

  test('and those of a stream’s client are read', async () => {
    const topics = encodeURIComponent('{"json":{"topics":["agents"]}}')
    const path = `/v1/changes.stream?input=${topics}&lastEventId=2000-01-01.0.0`
    const ended = new AbortController()
    const stream = await fetch(`${api.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${await api.person('maria')}` },
      signal: ended.signal,
    })
    expect(stream.status).toBe(200)
    ended.abort()
  })
})
