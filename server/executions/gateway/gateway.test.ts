import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { approve, bindingFor } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { repeated } from '#server/testing/repeated-call.ts'
import { until } from '#server/testing/until.ts'

// Uses the official MCP client, as an external agent would.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(async () => {
  await api.close()
})

async function connect(agent: string, server = 'payments', token?: string): Promise<Client> {
  const client = new Client({ name: 'external agent', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`/v1/mcp/${agent}/${server}`, api.baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${token ?? (await api.person('maria'))}` } },
  })
  await client.connect(transport)
  return client
}

type Structured = { status?: string; executionId?: string; approvalId?: string; url?: string; code?: string }
/** Answered after two seconds while it waits for a person. */
const call = async (client: Client, name: string, id = 'A-1003') => {
  const answer = await repeated(() =>
    client.callTool({ name, arguments: { id }, _meta: { 'countersign/waitSeconds': 2 } }),
  )
  return { isError: answer.isError === true, content: (answer.structuredContent ?? {}) as Structured, answer }
}
const elsewhere = (name: string, more: Record<string, unknown> = {}) =>
  releaseAgent(api, name, {
    runtime: { observe: {} },
    tools: { payments: ['lookup_order', 'issue_refund'] },
    more,
  })
const refundsOf = async (executionId: string) =>
  (await readFile(join(api.gate, 'calls.log'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith(`called issue_refund ${executionId}:`)).length
const refunds = async () =>
  (await readFile(join(api.gate, 'calls.log'), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line.startsWith('called issue_refund')).length
/** Repeats the same refund until it is no longer pending. */
const decided = (client: Client) =>
  until(async () => {
    const answer = await call(client, 'issue_refund')
    return answer.content.status === 'pending' ? undefined : answer
  }, 'the call was decided')
const rejection = 'Not this one.'
const reject = async (approvalId: string) =>
  api.mutate(await api.person('jonas'), 'approvals.decide', {
    approvalId,
    decision: 'reject',
    decisionAcknowledged: true,
    reason: rejection,
  })

test('lists only the tools of the release', async () => {
  await releaseAgent(api, 'reader', { runtime: { observe: {} }, tools: { payments: ['lookup_order'] } })
  const client = await connect('reader')
  const { tools } = await client.listTools()
  expect(tools.map((tool) => tool.name)).toEqual(['lookup_order'])
  const { isError, content } = await call(client, 'issue_refund')
  expect([isError, content.code]).toEqual([true, 'tool_not_released'])
  await client.close()
})

test('does not serve the local tools of a release, which their agent runs itself', async () => {
  await releaseAgent(api, 'local', {
    runtime: { observe: {} },
    tools: {},
    more: { tools: [{ local: [{ name: 'Bash' }] }] },
  })
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const { status } = await api.request(await api.person('maria'), '/v1/mcp/local/local', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  })
  expect(status).toBe(404)
})

test('an allowed call is answered and stored as an execution with a trace and audit records', async () => {
  const agentId = await elsewhere('looker')
  const client = await connect('looker')
  const { isError, answer } = await call(client, 'lookup_order')
  expect(isError).toBe(false)
  expect(JSON.stringify(answer.structuredContent)).toContain('A-1003')
  await client.close()
  const list = await api.query(await api.person('maria'), 'executions.list', { agentId, limit: 10 })
  const { items } = (list.body as { result: { data: { json: { items: { id: string; status: string }[] } } } }).result
    .data.json
  expect(items.map((item) => item.status)).toEqual(['succeeded'])
  const events = await executionsOf(api).events(items[0]?.id ?? '')
  expect(events.map((event) => event.type)).toEqual([
    'execution.running',
    'policy.decided',
    'tool.called',
    'tool.returned',
    'execution.succeeded',
  ])
  const { text } = await api.query(await api.person('vera'), 'audit.list', { limit: 20 })
  for (const action of ['execution.started', 'tool.called', 'tool.returned'])
    expect(text).toContain(`"type":"${action}"`)
})

test('an exhausted budget is a tool error with the reason and the time of the reset', async () => {
  const agentId = await elsewhere('thrifty')
  const binding = await bindingFor(
    api,
    agentId,
    'thrifty-budget',
    `@id("one") @obligation("budget") @budget_limit("1") @budget_unit("calls") @budget_window("P30D")
forbid (principal, action == Countersign::Action::"payments/lookup_order", resource)
unless { context.fulfilled.contains("budget:one") };`,
  )
  const proposed = await api.mutate(await api.client('ci-pipeline'), 'policyBindings.propose', binding)
  await approve(api, payload<{ approvalId: string }>(proposed).approvalId)
  const client = await connect('thrifty')
  expect((await call(client, 'lookup_order')).isError).toBe(false)
  const { isError, content, answer } = await call(client, 'lookup_order')
  expect([isError, content.code, content.status]).toEqual([true, 'budget_exhausted', 'denied'])
  expect(JSON.stringify(answer.content)).toMatch(/1 of 1 calls\. It begins anew at \d{4}-\d\d-\d\dT00:00:00\.000Z/)
  await client.close()
})

test('a denied call is a tool error with the reason', async () => {
  await elsewhere('forbidden', { risk: { tier: 'prohibited' } })
  const client = await connect('forbidden')
  const { isError, content, answer } = await call(client, 'lookup_order')
  expect([isError, content.code, content.status]).toEqual([true, 'PROHIBITED_AGENT', 'denied'])
  expect(JSON.stringify(answer.content)).toContain('never acts')
  await client.close()
})

describe('a call that needs an approval', () => {
  test('stays pending until a reviewer decides, then returns the answer of a single refund', async () => {
    await elsewhere('careful')
    const client = await connect('careful')
    const first = await call(client, 'issue_refund')
    expect([first.isError, first.content.status]).toEqual([false, 'pending'])
    const { executionId = '', approvalId = '' } = first.content
    const again = await call(client, 'issue_refund')
    expect(again.content).toMatchObject({ status: 'pending', executionId, approvalId })
    // A call that differs in one byte is another call, with its own approval.
    const other = await call(client, 'issue_refund', 'A-1004')
    expect(other.content.approvalId).not.toBe(approvalId)
    expect(await refundsOf(executionId)).toBe(0)

    await approve(api, approvalId)
    const done = await decided(client)
    expect(done.isError).toBe(false)
    expect(await refundsOf(executionId)).toBe(1)
    // The answer was taken, so the same call now requires a new approval.
    const later = await call(client, 'issue_refund')
    expect(later.content.status).toBe('pending')
    expect(later.content.executionId).not.toBe(executionId)
    await client.close()
  }, 60_000)

  test('returns the rejection without running', async () => {
    await elsewhere('rejected')
    const client = await connect('rejected')
    const before = await refunds()
    const { content } = await call(client, 'issue_refund')
    expect((await reject(content.approvalId ?? '')).status).toBe(200)
    const answer = await decided(client)
    expect([answer.isError, answer.content.code]).toEqual([true, 'approval_rejected'])
    // Its page says why to those who may read it: the error does not.
    const { approvalId, url } = content
    expect(url).toContain(`/approvals/${approvalId}`)
    expect(answer.content).toMatchObject({ approvalId, url })
    expect(JSON.stringify(answer.answer.content)).toContain(url)
    expect(JSON.stringify(answer.answer)).not.toContain(rejection)
    expect(await refunds()).toBe(before)
    await client.close()
  })
})

describe('the idempotency key', () => {
  const keyed = (client: Client, key: unknown, id: string) =>
    client.callTool({ name: 'lookup_order', arguments: { id }, _meta: { 'countersign/idempotencyKey': key } })

  test('of the execution is sent to the tool server, as for any step', async () => {
    await elsewhere('keyed-down')
    const client = await connect('keyed-down')
    const { content } = await call(client, 'issue_refund')
    await approve(api, content.approvalId ?? '')
    await decided(client)
    const log = await readFile(join(api.gate, 'calls.log'), 'utf8')
    expect(log).toContain(`called issue_refund ${content.executionId}:mcp.call\n`)
    await client.close()
  })

  test('of the caller gives repeated calls the same answer', async () => {
    const agentId = await elsewhere('keyed-up')
    const client = await connect('keyed-up')
    const [one, other] = await Promise.all([keyed(client, 'k-1', 'A-1003'), keyed(client, 'k-1', 'A-1003')])
    expect(one.structuredContent).toEqual(other.structuredContent)
    expect((await keyed(client, 'k-1', 'A-1003')).structuredContent).toEqual(one.structuredContent)
    const list = await api.query(await api.person('maria'), 'executions.list', { agentId, limit: 10 })
    expect(payload<{ items: unknown[] }>(list).items).toHaveLength(1)
    expect((await keyed(client, 'k-1', 'A-1001')).structuredContent).toMatchObject({ code: 'event_conflict' })
    expect((await keyed(client, 7, 'A-1001')).isError).toBe(true)
    await client.close()
  })
})

test('serves clients of the protocol revision without sessions', async () => {
  await elsewhere('modern')
  const client = new Client(
    { name: 'external agent', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/v1/mcp/modern/payments', api.baseUrl), {
      requestInit: { headers: { authorization: `Bearer ${await api.person('maria')}` } },
    }),
  )
  const { isError, content } = await call(client, 'issue_refund')
  expect([isError, content.status]).toEqual([false, 'pending'])
  await approve(api, content.approvalId ?? '')
  expect((await decided(client)).isError).toBe(false)
  expect(await refundsOf(content.executionId ?? '')).toBe(1)
  await client.close()
}, 60_000)

test('each message of a batch uses up a call of the tenant’s budget', async () => {
  await elsewhere('counted')
  const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' })
  const send = async (body: unknown) => {
    const { headers } = await api.request(await api.person('maria'), '/v1/mcp/counted/payments', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
    })
    return Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  const before = await send(list(1))
  await send(Array.from({ length: 10 }, (_, index) => list(index)))
  expect(before - (await send(list(1)))).toBe(11)
})

describe('access', () => {
  const post = (token: string | undefined, path: string) =>
    api.request(token, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })

  test('requires a token and execution:start', async () => {
    await elsewhere('guarded')
    expect((await post(undefined, '/v1/mcp/guarded/payments')).status).toBe(401)
    expect((await post(await api.person('vera'), '/v1/mcp/guarded/payments')).status).toBe(403)
    expect((await post(await api.person('maria'), '/v1/mcp/guarded/payments')).status).toBe(200)
  })

  test.each([
    ['/v1/mcp/unknown/payments', 'No agent has this name or id.'],
    ['/v1/mcp/guarded/everything', 'The active release of guarded in production does not name this tool server.'],
  ])('to %s is 404, which says what is unknown', async (path, message) => {
    const { status, text } = await post(await api.person('maria'), path)
    expect([status, JSON.parse(text)]).toMatchObject([404, { error: message, code: 'not_found' }])
  })

  test('is 409 when the agent is not released in the environment', async () => {
    expect((await post(await api.person('maria'), '/v1/mcp/guarded/payments?environment=staging')).status).toBe(409)
  })
})
