import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declaredProcedures } from '#server/kernel/trpc.ts'
import { type Answer, startApi, type TestApi } from '#server/testing/api.ts'
import { appRouter } from './router.ts'

// A single call is answered without the procedure library, a batch by it. Both ways answer the same: what each of these tests expects of
// a call, it expects of the same call as a batch of one.

let api: TestApi
let tokens: Record<'ci-pipeline' | 'decisions-bot' | 'jonas', string>
beforeAll(async () => {
  api = await startApi()
  tokens = {
    'ci-pipeline': await api.client('ci-pipeline'),
    'decisions-bot': await api.client('decisions-bot'),
    jonas: await api.person('jonas'),
  }
}, 180_000)
afterAll(() => api.close())

type Call = {
  name: string
  method?: 'GET' | 'POST'
  input?: unknown
  /** Further parameters of the address. */
  more?: string
  by?: keyof typeof tokens
  headers?: Record<string, string>
}

const json = { 'content-type': 'application/json' }

function alone({ name, method = 'GET', input, more = '', by = 'ci-pipeline', headers = {} }: Call): Promise<Answer> {
  const text = input === undefined ? undefined : JSON.stringify({ json: input })
  return send(by, method, name, text, more === '' ? [] : [more], headers)
}

async function inBatch({
  name,
  method = 'GET',
  input,
  more = '',
  by = 'ci-pipeline',
  headers = {},
}: Call): Promise<Answer> {
  const text = JSON.stringify(input === undefined ? {} : { 0: { json: input } })
  const parameters = ['batch=1', ...(more === '' ? [] : [more])]
  const answer = await send(by, method, name, text, parameters, headers)
  const body = Array.isArray(answer.body) ? answer.body[0] : answer.body
  return { ...answer, body, text: body === undefined ? answer.text : JSON.stringify(body) }
}

function send(
  by: keyof typeof tokens,
  method: string,
  name: string,
  text: string | undefined,
  parameters: readonly string[],
  headers: Record<string, string>,
): Promise<Answer> {
  const isPosted = method === 'POST'
  const all = [...(isPosted || text === undefined ? [] : [`input=${encodeURIComponent(text)}`]), ...parameters]
  const init = isPosted ? { method, headers: { ...json, ...headers }, body: text ?? '{}' } : { method, headers }
  return api.request(tokens[by], `/v1/${name}${all.length === 0 ? '' : `?${all.join('&')}`}`, init)
}

/** What is the same for two calls: without the request's id, the time, and what is left of the budget. */
function told({ status, headers, text }: Answer) {
  const own = ['x-request-id', 'date', 'content-length', 'ratelimit']
  const kept = [...headers].filter(([name]) => !own.includes(name))
  return { status, headers: Object.fromEntries(kept), text: text.replace(/"requestId":"[^"]*"/, '"requestId":"…"') }
}

/** The answer of both. Something else may change what a query returns: then it is asked again. */
async function answerOfBoth(call: Call): Promise<Answer> {
  const before = await alone(call)
  const batched = await inBatch(call)
  if (JSON.stringify(told(before)) !== JSON.stringify(told(batched)))
    expect(told(batched)).toEqual(told(await alone(call)))
  return before
}

const procedures = declaredProcedures(appRouter).filter(([, { kind }]) => kind !== 'subscription')
const queries = procedures.filter(([, { kind }]) => kind === 'query').map(([name]) => name)
const mutations = procedures.filter(([, { kind }]) => kind === 'mutation').map(([name]) => name)

test.each(queries)('%s without an input, and with one that is none', async (name) => {
  await answerOfBoth({ name })
  await answerOfBoth({ name, input: {} })
  await answerOfBoth({ name, method: 'POST', input: {} })
  const nonsense = await answerOfBoth({ name, input: 7 })
  expect([400, 403]).toContain(nonsense.status)
})

test.each(mutations)('%s with an input that is none', async (name) => {
  const nonsense = await answerOfBoth({ name, method: 'POST', input: 7 })
  expect([400, 403]).toContain(nonsense.status)
  expect((await answerOfBoth({ name, input: 7 })).status).toBe(405)
})

describe('both answer the same', () => {
  const unknown = '01a1f934-0000-7000-8000-000000000000'
  test.each<[string, Call, number, string]>([
    ['an answer', { name: 'agents.list', input: { limit: 1 } }, 200, '{"result":{"data":{"json":{"items":['],
    ['a posted query', { name: 'agents.list', method: 'POST', input: { limit: 1 } }, 200, '{"result":'],
    [
      'an effect',
      { name: 'session.chooseLanguage', method: 'POST', input: { language: null }, by: 'jonas' },
      200,
      '{"result":',
    ],
    ['what is missing', { name: 'agents.get', input: { id: unknown } }, 404, '"reason":"not_found"'],
    ['every issue of an input', { name: 'agents.list', input: { limit: -1, status: 3 } }, 400, '"issues":[{"path":'],
    ['a refused permission', { name: 'agents.list', by: 'decisions-bot' }, 403, '"permission":'],
    ['an unknown procedure', { name: 'agents.lst' }, 404, 'Procedure not found.'],
    ['a parameter that is not read', { name: 'agents.list', more: 'limit=1' }, 400, 'Unknown parameter limit.'],
    ['a justification that is none', { name: 'agents.list', headers: { 'x-svc-justification': 'ä' } }, 400, 'percent'],
    [
      'a refusal by the work itself',
      { name: 'agents.create', method: 'POST', input: { yaml: 'name: [' } },
      400,
      '"reason":"invalid_manifest"',
    ],
  ])('%s', async (_what, call, status, part) => {
    const answer = await answerOfBoth(call)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(part)])
  })
})

test('an input that is not JSON is refused, after the permission', async () => {
  const of = async (by: keyof typeof tokens) => {
    const answers = [
      await api.request(tokens[by], '/v1/agents.list?input=%7B'),
      await api.request(tokens[by], '/v1/agents.list?batch=1&input=%7B'),
    ]
    return answers.map(({ status, text }) => [status, text.includes('The input is not valid JSON')])
  }
  expect(await of('ci-pipeline')).toEqual([
    [400, true],
    [400, true],
  ])
  expect(await of('decisions-bot')).toEqual([
    [403, false],
    [403, false],
  ])
})

test('an empty parameter counts as none, and an empty body as invalid JSON', async () => {
  expect((await api.request(tokens['ci-pipeline'], '/v1/agents.list?input=')).status).toBe(200)
  const posted = await api.request(tokens['ci-pipeline'], '/v1/agents.list', {
    method: 'POST',
    headers: json,
    body: '',
  })
  expect([posted.status, posted.text]).toEqual([400, expect.stringContaining('The input is not valid JSON.')])
})

test('an Idempotency-Key has one effect, whichever way it is sent', async () => {
  const yaml = `name: called-alone\nversion: 1.0.0\nsteps:\n  - id: one\n    tool: payments/orders.get\n    with: {orderId: "\${input.orderId}"}\n`
  const call: Call = { name: 'agents.create', method: 'POST', input: { yaml }, headers: { 'idempotency-key': 'alone' } }
  const first = await alone(call)
  expect(first.status, first.text).toBe(200)
  expect((await alone(call)).text).toBe(first.text)
  expect((await inBatch(call)).text).toBe(first.text)
})

test('HEAD has the headers of GET', async () => {
  const headers = { authorization: `Bearer ${tokens['ci-pipeline']}` }
  const of = async (path: string) => {
    const answer = await fetch(new URL(path, api.baseUrl), { method: 'HEAD', headers })
    return told({ status: answer.status, headers: answer.headers, text: await answer.text(), body: undefined })
  }
  const single = await of('/v1/tenants.current')
  expect(single).toEqual(await of('/v1/tenants.current?batch=1&input=%7B%7D'))
  expect([single.status, single.text, single.headers['content-type']]).toEqual([200, '', 'application/json'])
})
