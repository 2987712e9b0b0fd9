import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Budget } from '#lib/schemas/policies.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { type Answer, type ModelServer, startModelServer } from '#server/testing/fakes/model-server.ts'
import { approve, bindingFor } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// Budgets of policies are reserved before a call is made and charged with its actual usage, once, whatever process dies.

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

const budget = (id: string, action: string, annotations: string) => `
@id("${id}") @obligation("budget") ${annotations}
forbid (principal, ${action}, resource) unless { context.fulfilled.contains("budget:${id}") };`
const models = 'action == Countersign::Action::"ModelCall"'
const lookups = 'action == Countersign::Action::"payments/lookup_order"'
const lookup: Answer = {
  toolCalls: [{ name: 'payments__lookup_order', arguments: { id: 'A-1003' } }],
  tokens: { input: 1000, output: 20 },
}

/** A chat agent with another policy that has these budgets; its model has the same name. */
async function chatAgent(name: string, ...rules: string[]): Promise<{ agentId: string; policyId: string }> {
  const prices = { input: '1', output: '10', currency: 'USD' }
  const chat = { endpoint: model.url, model: name, prices, maxOutputTokens: 500, prompt: `\${input.ask}` }
  const agentId = await releaseAgent(api, name, { runtime: { chat }, tools: { payments: ['lookup_order'] } })
  const binding = await bindingFor(api, agentId, `${name}-budgets`, rules.join('\n'))
  const proposed = await api.mutate(await api.client('ci-pipeline'), 'policyBindings.propose', binding)
  await approve(api, payload<{ approvalId: string }>(proposed).approvalId)
  return { agentId, policyId: binding.policyId }
}
const budgets = async (policyId: string) =>
  Object.fromEntries(
    payload<{ items: Budget[] }>(
      await api.query(await api.person('maria'), 'policies.budgets', { policyId }),
    ).items.map((one) => [one.rule, one]),
  )
/** The details of an execution's audit record with this action. */
async function audited(resourceId: string, action: string): Promise<unknown> {
  const vera = await api.person('vera')
  const { items } = payload<{ items: { auditId: string }[] }>(
    await api.query(vera, 'audit.list', { resourceId, action, limit: 1 }),
  )
  const { auditId } = items[0] ?? {}
  return payload<{ record: { details: unknown } }>(await api.query(vera, 'audit.get', { auditId })).record.details
}

test('tool and model calls are reserved, charged with their actual usage, and denied when a budget is exhausted', async () => {
  model.script('spends', lookup, { text: 'Paid.', tokens: { input: 2000, output: 30 } }, lookup)
  const { agentId, policyId } = await chatAgent(
    'spends',
    budget('lookups', lookups, '@budget_limit("1") @budget_unit("calls")'),
    budget('tokens', models, '@budget_limit("100000") @budget_unit("tokens") @budget_scope("environment")'),
    budget('dollars', models, '@budget_limit("5.00") @budget_unit("USD") @budget_scope("tenant")'),
  )
  const first = await executions.run(agentId, { ask: 'Is A-1003 paid?' })
  expect(first).toMatchObject({ status: 'succeeded', output: 'Paid.' })
  expect(await budgets(policyId)).toMatchObject({
    lookups: { used: '1', reserved: '0', limit: '1', scope: 'agent', agentId, environment: 'production' },
    tokens: { used: '3050', reserved: '0', scope: 'environment', agentId: null },
    dollars: { used: '0.0035', reserved: '0', scope: 'tenant', environment: null },
  })
  expect(await audited(first.id, 'tool.called')).toMatchObject({
    budgets: [{ rule: 'lookups', limit: '1', amount: '1', used: '0', unit: 'calls' }],
  })
  expect(await audited(first.id, 'tool.returned')).toMatchObject({
    budgets: [{ rule: 'lookups', reserved: '1', charged: '1' }],
  })

  const second = await executions.run(agentId, { ask: 'Is A-1003 still paid?' })
  expect(second).toMatchObject({ status: 'denied', error: { code: 'budget_exhausted' } })
  expect(second.error?.message).toMatch(
    /The budget “lookups” of the policy spends-budgets-policy \(version 1\) is used up: 1 of 1 calls/,
  )
  const denied = (await executions.events(second.id)).find(({ data }) => data.effect === 'deny')
  expect(denied?.data.rules).toEqual([
    'decision point v0: budget_exhausted',
    expect.stringMatching(/spends-budgets-policy v1: lookups/),
  ])
  expect(await audited(second.id, 'execution.denied')).toMatchObject({
    code: 'budget_exhausted',
    rules: [{ rule: 'budget_exhausted' }, { rule: 'lookups', policyId, policyVersion: 1 }],
  })
  // The turn that requested the lookup was made and is charged.
  expect(await budgets(policyId)).toMatchObject({ lookups: { used: '1' }, tokens: { used: '4070', reserved: '0' } })
}, 120_000)

test('a retry after a busy endpoint counts as one call and is charged only for actual usage', async () => {
  model.script('served', { status: 503 }, { text: 'Yes.', tokens: { input: 10, output: 1 } })
  const { agentId, policyId } = await chatAgent(
    'served',
    budget('asks', models, '@budget_limit("9") @budget_unit("calls")'),
    budget('tokens', models, '@budget_limit("100000") @budget_unit("tokens")'),
  )
  expect((await executions.run(agentId, { ask: '?' })).status).toBe('succeeded')
  expect(await budgets(policyId)).toMatchObject({
    asks: { used: '1', reserved: '0' },
    tokens: { used: '11', reserved: '0' },
  })
}, 120_000)

test('after kill -9 before the answer, the call counts once and the lost attempt is charged as reserved', async () => {
  model.script('killed', 'hold', { text: 'Yes.', tokens: { input: 10, output: 1 } })
  const { agentId, policyId } = await chatAgent(
    'killed',
    budget('asks', models, '@budget_limit("9") @budget_unit("calls")'),
    budget('tokens', models, '@budget_limit("100000") @budget_unit("tokens")'),
  )
  const id = await executions.start(agentId, { ask: '?' })
  const asked = () => model.requests.filter(({ body }) => body.model === 'killed').length
  await until(async () => (asked() === 1 ? true : undefined), 'the model was called')
  const during = await budgets(policyId)
  const reserved = Number(during.tokens?.reserved)
  expect(during).toMatchObject({ asks: { used: '1', reserved: '1' }, tokens: { used: String(reserved) } })
  expect(reserved).toBeGreaterThan(500)
  await api.killAndRestart()
  expect(await executions.ended(id, 60_000)).toMatchObject({ status: 'succeeded' })
  expect(asked()).toBe(2)
  expect(await budgets(policyId)).toMatchObject({
    asks: { used: '1', reserved: '0' },
    tokens: { used: String(reserved + 11), reserved: '0' },
  })
}, 180_000)

test('a retry that the budget does not cover is denied, and the lost attempt is charged', async () => {
  model.script('tight', 'die mid-stream')
  const { agentId, policyId } = await chatAgent(
    'tight',
    // One call can use about 600 tokens, so the budget does not cover two.
    budget('tokens', models, '@budget_limit("1000") @budget_unit("tokens")'),
  )
  expect(await executions.run(agentId, { ask: '?' })).toMatchObject({
    status: 'denied',
    error: { code: 'budget_exhausted' },
  })
  const { tokens } = await budgets(policyId)
  expect(tokens?.reserved).toBe('0')
  expect(Number(tokens?.used)).toBeGreaterThan(500)
}, 120_000)
