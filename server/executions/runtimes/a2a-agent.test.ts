import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { type A2aAgent, startA2aAgent } from '#server/testing/fakes/a2a-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { runningSpansOfEnded } from '#server/testing/running-spans.ts'
import { until } from '#server/testing/until.ts'

// An A2A agent: its message is sent once, its task is followed across crashes, and its questions become waits.

let api: TestApi
let agent: A2aAgent
let agentId: string
beforeAll(async () => {
  agent = await startA2aAgent()
  api = await startApi({ ALLOWED_PRIVATE_HOSTS: '127.0.0.1' })
  payload(await api.mutate(await api.person('tom'), 'secrets.create', { name: 'desk', value: 'desk-token' }))
  agentId = await releaseAgent(api, 'a2a-desk', {
    runtime: { a2a: { card: agent.card, auth: { secretRef: 'desk' } } },
    tools: {},
  })
}, 180_000)
beforeEach(() => {
  agent.received.length = 0
})
// The trace of an execution ends with it, so nothing in it may seem to go on.
afterEach(async () => expect(await runningSpansOfEnded(api)).toEqual([]))
afterAll(async () => {
  await api.close()
  await agent.close()
})

const sent = () => agent.received.filter(({ method }) => method === 'SendMessage')
const asked = () => agent.received.filter(({ method }) => method === 'GetTask')

test('the message is sent once, with the secret, and its answer is the output', async () => {
  agent.behave('answer')
  const { id, status, output } = await executionsOf(api).run(agentId, { text: 'refund 4711' })
  expect([status, output]).toEqual([
    'succeeded',
    expect.objectContaining({ state: 'completed', text: 'Done: refund 4711' }),
  ])
  expect(sent()).toMatchObject([{ messageId: `${id}:call`, authorization: 'Bearer desk-token' }])
})

test.each([
  ['fail', 'failed', 'agent_failed', 'The ledger is closed.'],
  ['refuse', 'failed', 'agent_failed', 'status 401'],
  ['drop', 'indeterminate', 'outcome_unknown', 'It is unknown whether'],
] as const)(
  'an agent with the behaviour %s ends the execution as %s without a retry',
  async (behaviour, status, code, message) => {
    agent.behave(behaviour)
    const execution = await executionsOf(api).run(agentId, { text: 'refund 4711' })
    expect([execution.status, execution.error?.code]).toEqual([status, code])
    expect(execution.error?.message).toContain(message)
    expect(sent()).toHaveLength(1)
  },
)

test('a question becomes a durable wait, and its answer is sent to the same task', async () => {
  agent.behave('ask')
  const { start, get, ended } = executionsOf(api)
  const id = await start(agentId, { wish: 'refund' })
  const waiting = await until(async () => {
    const execution = await get(id)
    return execution.status === 'waiting_input' ? execution : undefined
  }, 'the agent asked')
  expect(waiting.steps.map((step) => [step.id, step.kind, step.status])).toEqual([
    ['call', 'tool', 'succeeded'],
    ['reply-1', 'wait', 'waiting_input'],
  ])
  await api.killAndRestart()
  const ci = await api.client('ci-pipeline')
  const answer = await api.request(ci, '/v1/input-events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ correlation: { executionId: id, input: 'reply-1' }, data: { order: 4711 } }),
  })
  expect(answer.status).toBe(202)
  const { status, output } = await ended(id, 60_000)
  expect([status, output]).toEqual(['succeeded', expect.objectContaining({ text: 'Done: {"order":4711}' })])
  expect(sent().map(({ messageId }) => messageId)).toEqual([`${id}:call`, `${id}:call-2`])
}, 120_000)

test('after kill -9 while the agent works, the task is polled and the message is not sent again', async () => {
  agent.behave('hold')
  const { start, ended, events } = executionsOf(api)
  const id = await start(agentId, { text: 'slowly' })
  const working = async () => (await events(id)).some(({ type }) => type === 'agent.working')
  await until(async () => ((await working()) ? true : undefined), 'the task is stored')
  await api.killAndRestart()
  const before = asked().length
  await until(async () => (asked().length > before ? true : undefined), 'the task was polled', 60_000)
  agent.release()
  expect((await ended(id, 60_000)).output).toMatchObject({ text: 'Done: slowly' })
  expect(sent()).toHaveLength(1)
}, 150_000)

test('an agent that restarts without its tasks leaves the outcome unknown', async () => {
  agent.behave('hold')
  const { start, ended } = executionsOf(api)
  const id = await start(agentId, { text: 'lost' })
  await until(async () => (asked().length > 0 ? true : undefined), 'the task was polled')
  agent.forget()
  const { status, error } = await ended(id, 60_000)
  expect([status, error?.code]).toEqual(['indeterminate', 'outcome_unknown'])
  expect(sent()).toHaveLength(1)
}, 90_000)

test('a release requires the agent card, from a permitted address', async () => {
  const ci = await api.client('ci-pipeline')
  const propose = async (name: string, card: string) => {
    const yaml = JSON.stringify({ metadata: { name, version: '1.0.0' }, spec: { runtime: { a2a: { card } } } })
    const { agentId: id } = payload<{ agentId: string }>(await api.mutate(ci, 'agents.create', { yaml }))
    return await api.mutate(ci, 'releases.propose', { agentId: id, version: '1.0.0', environment: 'production' })
  }
  expect((await propose('a2a-private', 'https://10.1.2.3/card')).status).toBe(409)
  expect((await propose('a2a-no-card', agent.card.replace('/card', '/rpc'))).status).not.toBe(200)
})
