import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { type Answer, type ModelServer, startModelServer } from '#server/testing/fakes/model-server.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// A model that can call tools: each of its calls is governed, and a crash repeats nothing that was answered.

let api: TestApi
let model: ModelServer
let executions: ReturnType<typeof executionsOf>
beforeAll(async () => {
  model = await startModelServer()
  api = await startApi({ ALLOWED_PRIVATE_HOSTS: '127.0.0.1' })
  executions = executionsOf(api)
}, 180_000)
afterAll(async () => {
  await api.close()
  await model.close()
})

const prices = { input: '1', output: '10', currency: 'USD' }
/** A chat agent whose model has the same name, so that each test has its own script. */
const chatAgent = (name: string, more: { chat?: Record<string, unknown>; limits?: unknown } = {}) =>
  releaseAgent(api, name, {
    runtime: {
      chat: {
        endpoint: model.url,
        model: name,
        prices,
        instructions: 'Be brief.',
        prompt: `\${input.ask}`,
        ...more.chat,
      },
    },
    tools: { payments: ['lookup_order', 'issue_refund'] },
    more: { limits: more.limits ?? {} },
  })
const askedOf = (name: string) => model.requests.filter(({ body }) => body.model === name).map(({ body }) => body)
const calls = async (tool: string, executionId: string) =>
  (await readFile(join(api.gate, 'calls.log'), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line.startsWith(`called ${tool} ${executionId}:`)).length
const lookup: Answer = { toolCalls: [{ name: 'payments__lookup_order', arguments: { id: 'A-1003' } }] }

test('every call of a conversation with tools is journaled, counted and priced', async () => {
  model.script(
    'talks',
    { ...lookup, tokens: { input: 1000, output: 20 } },
    { text: 'It is paid. ', tokens: { input: 2000, output: 30 } },
  )
  const agentId = await chatAgent('talks')
  const { id, traceId, ...execution } = await executions.run(agentId, { ask: 'Is A-1003 paid?' })
  expect(execution).toMatchObject({
    status: 'succeeded',
    output: 'It is paid. ',
    usage: { modelCalls: 2, inputTokens: 3000, outputTokens: 50, cost: { amount: '0.0035', currency: 'USD' } },
  })
  expect(execution.steps.map((step) => [step.id, step.kind, step.status])).toEqual([
    ['turn-1', 'model', 'succeeded'],
    ['turn-1.tool-1', 'tool', 'succeeded'],
    ['turn-2', 'model', 'succeeded'],
  ])
  const [first, second] = askedOf('talks')
  expect(first?.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Is A-1003 paid?' },
  ])
  expect(first?.tools).toHaveLength(2)
  expect(second?.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool'])
  expect(second?.messages[3]?.content).toContain('A-1003')
  expect((await executions.events(id)).map((event) => event.type)).toEqual([
    'execution.running',
    'policy.decided',
    'model.called',
    'model.returned',
    'policy.decided',
    'tool.called',
    'tool.returned',
    'policy.decided',
    'model.called',
    'model.returned',
    'execution.succeeded',
  ])
  const trace = payload<{ spans: { name: string; kind: string; attributes: { key: string; value: unknown }[] }[] }>(
    await api.query(await api.person('maria'), 'traces.getTrace', {
      traceId,
      tenantId: api.credentials.tenants.find((tenant) => tenant.slug === 'northwind')?.externalId,
      includeSensitiveData: false,
    }),
  )
  const span = trace.spans.find((one) => one.name === 'chat talks')
  const value = (key: string) => span?.attributes.find((attribute) => attribute.key === key)?.value
  expect(span?.kind).toBe('model')
  expect([value('gen_ai.usage.input_tokens'), value('gen_ai.usage.output_tokens')]).toEqual([1000, 20])
})

describe('a model endpoint', () => {
  test('that is busy is retried, and only the answered call is charged', async () => {
    model.script('busy', { status: 503 }, { text: 'Yes.', tokens: { input: 10, output: 1 } })
    const { status, usage } = await executions.run(await chatAgent('busy'), { ask: '?' })
    expect([status, usage.cost?.amount]).toEqual(['succeeded', '0.00002'])
  })

  test('that dies mid-stream is retried, and the lost attempt is charged as reserved', async () => {
    model.script('dies', 'die mid-stream', { text: 'Yes.', tokens: { input: 10, output: 1 } })
    const { status, output, usage } = await executions.run(
      await chatAgent('dies', { chat: { maxOutputTokens: 1000 } }),
      { ask: '?' },
    )
    expect([status, output, usage.modelCalls]).toEqual(['succeeded', 'Yes.', 2])
    // 1,000 output tokens at 10 per million, plus the input.
    expect(Number(usage.cost?.amount)).toBeGreaterThan(0.01)
  })

  test('that refuses the call fails the execution without a retry', async () => {
    model.script('refuses', { status: 400 })
    const { status, error } = await executions.run(await chatAgent('refuses'), { ask: '?' })
    expect([status, error?.code]).toEqual(['failed', 'model_failed'])
    expect(askedOf('refuses')).toHaveLength(1)
  })

  test('that is slow is read to the end of its stream', async () => {
    model.script('slow', { text: 'one two three four', slowMs: 150 })
    expect((await executions.run(await chatAgent('slow'), { ask: '?' })).output).toBe('one two three four')
  })
})

test('a model that calls an unknown tool gets an error as the answer', async () => {
  model.script('confused', { toolCalls: [{ name: 'payments__drop_tables', arguments: {} }] }, { text: 'Sorry.' })
  const { status, output, steps } = await executions.run(await chatAgent('confused'), { ask: '?' })
  expect([status, output]).toEqual(['succeeded', 'Sorry.'])
  expect(steps.map((step) => step.id)).toEqual(['turn-1', 'turn-2'])
  expect(askedOf('confused')[1]?.messages.at(-1)?.content).toMatch(/there is no tool payments__drop_tables/)
})

describe('limits', () => {
  test('prevent a call that could cost more than the remaining budget', async () => {
    const limits = { maxCost: { amount: '0.01', currency: 'USD' } }
    const { status, error } = await executions.run(await chatAgent('poor', { limits }), { ask: '?' })
    expect([status, error?.code]).toEqual(['failed', 'budget_exceeded'])
    expect(askedOf('poor')).toHaveLength(0)
  })

  test('stop a model that never finishes', async () => {
    model.script('loops', lookup, lookup, lookup, lookup)
    const { status, error } = await executions.run(await chatAgent('loops', { limits: { maxModelCalls: 2 } }), {
      ask: '?',
    })
    expect([status, error?.code]).toEqual(['failed', 'limit_exceeded'])
    expect(askedOf('loops')).toHaveLength(2)
  })

  test('require prices for a budget', async () => {
    const limits = { maxCost: { amount: '1', currency: 'USD' } }
    await expect(chatAgent('unpriced', { chat: { prices: undefined }, limits })).rejects.toThrow(/needs prices/)
  })
})

test('the conversation waits for an approval, runs the approved call once and continues', async () => {
  const refund: Answer = { toolCalls: [{ name: 'payments__issue_refund', arguments: { id: 'A-1003' } }] }
  model.script('refunds', refund, { text: 'Refunded.' })
  const id = await executions.start(await chatAgent('refunds'), { ask: 'Refund A-1003' })
  const approvalId = await until(async () => {
    const { status, steps } = await executions.get(id)
    return status === 'waiting_approval'
      ? (steps.find((step) => step.approvalId !== null)?.approvalId ?? undefined)
      : undefined
  }, 'it is waiting')
  await approve(api, approvalId)
  expect(await executions.ended(id)).toMatchObject({ status: 'succeeded', output: 'Refunded.' })
  expect(await calls('issue_refund', id)).toBe(1)
})

test('kill -9 while the model answers repeats no answered turn or tool call', async () => {
  model.script('killed', lookup, 'hold', { text: 'Paid.' })
  const id = await executions.start(await chatAgent('killed'), { ask: 'Is A-1003 paid?' })
  await until(async () => (askedOf('killed').length === 2 ? true : undefined), 'the second turn is requested')
  await api.killAndRestart()
  expect(await executions.ended(id, 60_000)).toMatchObject({ status: 'succeeded', output: 'Paid.' })
  const asked = askedOf('killed')
  // The first turn, the attempt that died, and its retry with the same conversation.
  expect(asked).toHaveLength(3)
  expect(asked[2]?.messages).toEqual(asked[1]?.messages)
  expect(await calls('lookup_order', id)).toBe(1)
}, 90_000)

test('a secret is sent to its endpoint as a bearer token, and its use is in the audit log', async () => {
  payload(await api.mutate(await api.person('tom'), 'secrets.create', { name: 'llm-key', value: 'sk-test-1' }))
  const agentId = await chatAgent('secretive', { chat: { auth: { secretRef: 'llm-key' } } })
  expect((await executions.run(agentId, { ask: '?' })).status).toBe('succeeded')
  const request = model.requests.find(({ body }) => body.model === 'secretive')
  expect(request?.authorization).toBe('Bearer sk-test-1')
  const { text } = await api.query(await api.person('vera'), 'audit.list', { limit: 50 })
  expect(text).toContain('secret.value_used')
  expect(text).not.toContain('sk-test-1')
})

test('a step calls a model, and a later step uses its answer', async () => {
  model.script('step-model', { text: 'A-1003' })
  const agentId = await releaseAgent(api, 'steps-with-model', {
    runtime: {
      steps: [
        { id: 'ask', model: { prompt: `Which order is ${'$'}{input.text}?` } },
        {
          id: 'order',
          tool: { server: 'payments', name: 'lookup_order', arguments: { id: `\${steps.ask.output.content}` } },
        },
      ],
    },
    tools: { payments: ['lookup_order'] },
    more: { models: [{ name: 'small', endpoint: model.url, model: 'step-model' }] },
  })
  const { status, steps } = await executions.run(agentId, { text: 'the third' })
  expect([status, steps.map((step) => step.kind)]).toEqual(['succeeded', ['model', 'tool']])
  expect(askedOf('step-model')[0]?.messages).toEqual([{ role: 'user', content: 'Which order is the third?' }])
})

test('an external agent cannot be started', async () => {
  const agentId = await releaseAgent(api, 'elsewhere', { runtime: { observe: {} }, tools: {} })
  const answer = await api.mutate(await api.person('maria'), 'executions.execute', {
    agentId,
    environment: 'production',
    input: {},
  })
  expect(answer.status).toBe(409)
  expect(answer.text).toContain('runs_elsewhere')
})
