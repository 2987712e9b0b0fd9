// Longer than other files: one runtime and its policies serve every case.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { decimal } from '#lib/rules/cost.ts'
import { create as createAgent } from '#server/agents/create.ts'
import { decide as decideApproval } from '#server/approvals/decide.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId, newSpanId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { bindingDecided } from '#server/policies/bindings/binding.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { decide, type PolicyDecision } from '#server/policies/decisions/decide.ts'
import { recompute } from '#server/policies/decisions/recompute.ts'
import type { ModelCallRequest } from '#server/policies/decisions/request.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { modelCall } from '#server/testing/model-call.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { windowAt } from './budget.ts'
import { listBudgets } from './list.ts'
import { purgeWindows } from './purge-windows.ts'
import { reserveAgain, settleBudgets } from './settle-budgets.ts'

// Concurrent calls never overdraw a policy's budget, and each reservation is charged once.

// Each policy is checked in a thread of its own, three times until it is bound, which is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let pipeline: Caller
let jonas: Caller

beforeAll(async () => {
  runtime = await testRuntime()
  await runtime.queue.work([{ queue: 'approval-expiry', concurrency: 1, run: () => Promise.resolve() }])
  onDecided('policy_binding', bindingDecided)
  tenant = await testTenant(runtime)
  jonas = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
  pipeline = await tenant.as('ci-pipeline', { roles: ['developer'], kind: 'service_account' })
})
afterAll(async () => {
  await closeEngine()
  await runtime.close()
})

const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown, caller = pipeline): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => runtime.database.inTenant(tenant.id, work)

const permit = '@id("all") permit (principal, action, resource);'
const budget = (annotations: string, id = 'purse') =>
  `@id("${id}") @obligation("budget") ${annotations} forbid (principal, action == Countersign::Action::"ModelCall", resource) unless { context.fulfilled.contains("budget:${id}") };`
const calls = (limit: number, more = '') => budget(`@budget_limit("${limit}") @budget_unit("calls") ${more}`)

/** Publishes the source as the policy's next version and binds it. */
async function bind(agentId: string, policyId: string, source: string): Promise<void> {
  const { version } = await run(createVersion, { policyId, source })
  await run(publishVersion, { policyId, version })
  await propose(agentId, policyId, version)
}
async function propose(agentId: string, policyId: string, policyVersion: number, environment = 'production') {
  const { approvalId } = await run(proposeBinding, { agentId, environment, policyId, policyVersion })
  const vote = { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read it.' }
  await run(decideApproval, vote, jonas)
}

async function newPolicy(): Promise<string> {
  return (await run(createPolicy, { name: `policy-${newSpanId()}` })).id
}
async function newAgent(...rules: string[]) {
  const { agent } = await run(createAgent, { yaml: `name: agent-${newSpanId()}` })
  const policyId = await newPolicy()
  await bind(agent.id, policyId, [permit, ...rules].join('\n'))
  return { ...agent, policyId }
}
type Agent = { id: string; name: string }

const request = (agent: Agent, changes: Partial<ModelCallRequest> = {}): ModelCallRequest =>
  modelCall(agent, { most: { tokens: 100, cost: { amount: '0.30', currency: 'USD' } }, ...changes })
const ask = (agent: Agent, changes?: Partial<ModelCallRequest>): Promise<PolicyDecision> =>
  inTenant((tx) => decide(tx, tenant, request(agent, changes)))
/** Runs `work` this many times, six at a time: fewer than the connections in the pool, so that none times out waiting. */
async function race<T>(times: number, work: () => Promise<T>): Promise<T[]> {
  const done: T[] = []
  let begun = 0
  const lane = async () => {
    while (begun++ < times) done.push(await work())
  }
  await Promise.all(Array.from({ length: 6 }, lane))
  return done
}
const settle = (decisionId: string, end: Parameters<typeof settleBudgets>[3], attempt = 1) =>
  inTenant((tx) => settleBudgets(tx, tenant.id, { decisionId, attempt }, end))
const used = async (policyId: string) =>
  (await run(listBudgets, { policyId })).items.map((item) => [item.rule, item.used, item.reserved])
describe('concurrent calls', () => {
  test('of fifty against a budget of ten, ten pass and the others learn when the budget resets', async () => {
    const agent = await newAgent(calls(10, '@budget_window("P30D")'))
    const answers = await race(50, () => ask(agent))
    expect(answers.filter(({ effect }) => effect === 'allow')).toHaveLength(10)
    const denied = answers.filter(({ effect }) => effect === 'deny')
    expect(denied).toHaveLength(40)
    for (const { reasons, approval } of denied) {
      expect(approval).toBeUndefined()
      expect(reasons).toMatchObject([{ code: 'budget_exhausted' }, { rule: 'purse', policyId: agent.policyId }])
      expect(reasons[0]?.message).toMatch(
        /^The budget “purse” of the policy policy-\w+ \(version 1\) is used up: 10 of 10 calls\. It begins anew at \d{4}-\d\d-\d\dT00:00:00\.000Z\.$/,
      )
    }
    expect(await used(agent.policyId)).toEqual([['purse', '10', '10']])
  })

  test('two budgets are reserved together or not at all, without deadlock, in any order of rules', async () => {
    const rules = [
      budget('@budget_limit("7") @budget_unit("calls")', 'a'),
      budget('@budget_limit("400") @budget_unit("tokens")', 'b'),
    ]
    const agent = await newAgent(...rules)
    const answers = await race(20, () => ask(agent))
    expect(answers.filter(({ effect }) => effect === 'allow')).toHaveLength(4)
    expect((await used(agent.policyId)).sort()).toEqual([
      ['a', '4', '4'],
      ['b', '400', '400'],
    ])
  })
})

describe('a recorded decision', () => {
  test('includes the state of its budgets, so that it can be recomputed', async () => {
    const agent = await newAgent(calls(1))
    const allowed = await ask(agent)
    expect(allowed.obligations).toMatchObject([
      { kind: 'budget', policyRule: 'purse', parameters: { limit: '1', amount: '1', used: '0', scope: 'agent' } },
    ])
    const denied = await ask(agent)
    expect(denied.reasons[0]?.message).toMatch(/It does not begin anew\.$/)
    for (const { decisionId } of [allowed, denied])
      expect(await run(recompute, { decisionId })).toMatchObject({ same: true })
  })

  test('reserves nothing when its transaction rolls back', async () => {
    const agent = await newAgent(calls(1))
    await expect(
      inTenant(async (tx) => {
        await decide(tx, tenant, request(agent))
        throw new Error('The process dies.')
      }),
    ).rejects.toThrow('The process dies.')
    expect(await used(agent.policyId)).toEqual([])
    expect(await ask(agent)).toMatchObject({ effect: 'allow' })
  })
})

describe('the scope of a budget', () => {
  test('is an agent in an environment, an environment, the tenant or an execution', async () => {
    const scopes = ['agent', 'environment', 'tenant', 'execution'] as const
    const rules = scopes.map(
      (scope) =>
        `@id("${scope}") @obligation("budget") @budget_limit("1") @budget_unit("calls") @budget_scope("${scope}") forbid (principal, action, resource == Countersign::Model::"p/${scope}") unless { context.fulfilled.contains("budget:${scope}") };`,
    )
    const one = await newAgent(...rules)
    const two = (await run(createAgent, { yaml: `name: agent-${newSpanId()}` })).agent
    for (const environment of ['production', 'staging']) await propose(two.id, one.policyId, 1, environment)
    const of = (scope: string, changes = {}) => ({ model: { provider: 'p', name: scope }, ...changes })
    for (const [scope, expected] of [
      ['agent', ['allow', 'allow', 'allow']],
      ['environment', ['allow', 'deny', 'allow']],
      ['tenant', ['allow', 'deny', 'deny']],
    ] as const) {
      const staging = of(scope, { environment: 'staging' })
      const answers = [await ask(one, of(scope)), await ask(two, of(scope)), await ask(two, staging)]
      expect(answers.map(({ effect }) => effect)).toEqual(expected)
    }
    const [first, second] = [newId(), newId()]
    const effects = [
      await ask(one, of('execution', { executionId: first })),
      await ask(one, of('execution', { executionId: first })),
      await ask(one, of('execution', { executionId: second })),
      await ask(one, of('execution')),
    ].map(({ effect, reasons }) => [effect, reasons[0]?.code])
    expect(effects).toEqual([
      ['allow', null],
      ['deny', 'budget_exhausted'],
      ['allow', null],
      ['deny', 'obligation_unsupported'],
    ])
  })

  test('continues across versions of the policy, each with its own limit', async () => {
    const agent = await newAgent(calls(1))
    expect(await ask(agent)).toMatchObject({ effect: 'allow' })
    expect(await ask(agent)).toMatchObject({ effect: 'deny' })
    await bind(agent.id, agent.policyId, `${permit}\n${calls(2)}`)
    expect(await ask(agent)).toMatchObject({ effect: 'allow' })
    expect(await ask(agent)).toMatchObject({ effect: 'deny', reasons: [{}, { policyVersion: 2 }] })
  })
})

describe('windows', () => {
  test('start at multiples of their length and end where the next window starts', () => {
    const at = new Date('2026-11-20T13:37:42.123Z')
    expect(windowAt(at, 3600)).toEqual({
      startsAt: new Date('2026-11-20T13:00:00.000Z'),
      endsAt: new Date('2026-11-20T14:00:00.000Z'),
    })
    expect(windowAt(at, 86_400).endsAt).toEqual(new Date('2026-11-21T00:00:00.000Z'))
    expect(windowAt(new Date('2026-11-20T14:00:00.000Z'), 3600).startsAt).toEqual(new Date('2026-11-20T14:00:00.000Z'))
    expect(windowAt(at, undefined)).toEqual({ startsAt: new Date(0), endsAt: undefined })
  })

  test('no longer count once ended, are still settled, and are purged later', async () => {
    const agent = await newAgent(budget('@budget_limit("100") @budget_unit("tokens") @budget_window("P30D")'))
    const before = await ask(agent)
    expect([before.effect, (await ask(agent)).effect]).toEqual(['allow', 'deny'])
    await moveBack(agent.policyId, 30)
    expect(await used(agent.policyId)).toEqual([])
    expect((await ask(agent)).effect).toBe('allow')
    await settle(before.decisionId, { made: 'yes', tokens: 3 })
    expect(await windows(agent.policyId)).toEqual(['3', '100'])
    await moveBack(agent.policyId, 35)
    await purgeWindows(tenant.id, Date.now())
    expect(await windows(agent.policyId)).toEqual(['100'])
  })

  /** Simulates that this many days have passed. */
  const moveBack = async (policyId: string, days: number) => {
    const owner = await connectAsOwner(runtime)
    // From the earliest on, because a subject has one window for each start.
    const { rows } = await owner.query('select id from policy_budget_windows where policy_id = $1 order by starts_at', [
      policyId,
    ])
    for (const { id } of rows)
      await owner.query(
        `update policy_budget_windows set starts_at = starts_at - make_interval(days => $2),
           ends_at = ends_at - make_interval(days => $2) where id = $1`,
        [id, days],
      )
    await owner.end()
  }
  const windows = async (policyId: string) =>
    (
      await inTenant((tx) =>
        tx
          .selectFrom('policyBudgetWindows')
          .select('used')
          .where('policyId', '=', policyId)
          .orderBy('startsAt')
          .execute(),
      )
    ).map((row) => decimal(BigInt(row.used)))
})

describe('settling', () => {
  test('replaces the reserved amount with the actual usage, once', async () => {
    const agent = await newAgent(
      budget('@budget_limit("1.00") @budget_unit("USD")', 'dollars'),
      budget('@budget_limit("1000") @budget_unit("tokens")', 'tokens'),
    )
    const { decisionId } = await ask(agent)
    const cost = { amount: '0.12', currency: 'USD' }
    expect(await settle(decisionId, { made: 'yes', tokens: 40, cost })).toMatchObject([
      { rule: 'dollars', unit: 'USD', reserved: '0.3', charged: '0.12' },
      { rule: 'tokens', unit: 'tokens', reserved: '100', charged: '40' },
    ])
    const again = await Promise.all([settle(decisionId, { made: 'no' }), settle(decisionId, { made: 'unknown' })])
    expect(again).toEqual([[], []])
    expect((await used(agent.policyId)).sort()).toEqual([
      ['dollars', '0.12', '0'],
      ['tokens', '40', '0'],
    ])
  })

  test('denies a call in another currency or with unknown usage', async () => {
    const agent = await newAgent(budget('@budget_limit("9") @budget_unit("EUR")'))
    expect(await ask(agent)).toMatchObject({ effect: 'deny', reasons: [{ code: 'obligation_unsupported' }, {}] })
  })

  test('counts a retry as the same call but charges its cost again', async () => {
    const agent = await newAgent(calls(1), budget('@budget_limit("250") @budget_unit("tokens")', 'tokens'))
    const { decisionId } = await ask(agent)
    const retry = (attempt: number) =>
      inTenant(async (tx) => {
        await settleBudgets(tx, tenant.id, { decisionId, attempt: attempt - 1 }, { made: 'unknown' })
        return await reserveAgain(tx, tenant.id, { decisionId, attempt })
      })
    expect(await retry(2)).toBe(true)
    expect((await used(agent.policyId)).sort()).toEqual([
      ['purse', '1', '0'],
      ['tokens', '200', '100'],
    ])
    expect(await retry(3)).toBe(false)
    expect((await used(agent.policyId)).sort()).toEqual([
      ['purse', '1', '0'],
      ['tokens', '200', '0'],
    ])
  })
})

describe('with an approval', () => {
  const soft =
    '@id("ask") @obligation("approval") forbid (principal, action, resource) unless { context.fulfilled.contains("approval:ask") };'

  test('nothing is reserved while the approval is pending, and none is requested when the budget is exhausted', async () => {
    const agent = await newAgent(calls(1), soft)
    const asked = await ask(agent)
    expect(asked).toMatchObject({ effect: 'require_approval', obligations: [{ kind: 'approval' }, { kind: 'budget' }] })
    expect(await used(agent.policyId)).toEqual([])
    const fulfilled = asked.approval?.tokens ?? []
    expect(await ask(agent, { fulfilled })).toMatchObject({ effect: 'allow' })
    for (const late of [await ask(agent), await ask(agent, { fulfilled })]) {
      expect(late).toMatchObject({ effect: 'deny', reasons: [{ code: 'budget_exhausted' }, { rule: 'purse' }] })
      expect(await run(recompute, { decisionId: late.decisionId })).toMatchObject({ same: true })
    }
  })
})

test('lists the budgets of its own tenant only', async () => {
  const agent = await newAgent(calls(3))
  await ask(agent)
  expect((await run(listBudgets, { policyId: agent.policyId })).items).toMatchObject([
    { agentId: agent.id, agentName: agent.name, environment: 'production', limit: '3', used: '1', endsAt: null },
  ])
  const stranger = await (await testTenant(runtime)).as('x', { roles: ['viewer'] })
  await expect(run(listBudgets, { policyId: agent.policyId }, stranger)).rejects.toMatchObject({ code: 'not_found' })
})
