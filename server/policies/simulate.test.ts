import { afterAll, beforeAll, expect, test } from 'vitest'
import { create as createAgent } from '#server/agents/create.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId, newSpanId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { insertBinding, setBindingDecided } from '#server/policies/bindings/binding-store.ts'
import { decide } from '#server/policies/decisions/decide.ts'
import { findLastSearched, listFilteredDecisions } from '#server/policies/decisions/decision-store.ts'
import { listDecisions } from '#server/policies/decisions/list.ts'
import { recompute } from '#server/policies/decisions/recompute.ts'
import type { ToolCallRequest } from '#server/policies/decisions/request.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { runtimeSchema, runtimeServer } from '#server/policies/language/runtime-schema.ts'
import { keepToolSchemas } from '#server/policies/language/tenant-schema.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { createPolicy } from './create.ts'
import { createVersion } from './create-version.ts'
import { publishVersion } from './publish-version.ts'
import { rules } from './rules.ts'
import { simulate } from './simulate.ts'

// Recorded: pay 5 (allowed), pay 500 (requires an approval), close (denied). The draft allows every payment, and close.

const scope = 'principal, action in Countersign::Action::"ToolCall", resource'
const over = (limit: string) =>
  `@id("ask") @obligation("approval") forbid (${scope}) when { context.arguments has amount && context.arguments.amount.greaterThan(decimal("${limit}")) } unless { context.fulfilled.contains("approval:ask") };`
const pay = `@id("pay") permit (principal, action in Countersign::Action::"ToolCall", resource == Countersign::Tool::"bank/pay");`
const all = `@id("all") permit (${scope});`
const tools = ['pay', 'close'].map((name) => ({
  server: 'bank',
  name,
  digest: `sha256:${name.padEnd(64, '0').replaceAll(/[^0-9a-f]/g, 'a')}`,
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
}))
const from = new Date(Date.now() - 60_000).toISOString()
const to = new Date(Date.now() + 3_600_000).toISOString()

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let maria: Caller
let policyId: string
let agent: { id: string; name: string }
const decisions: string[] = []

const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown, caller = maria): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const request = (name: string, amount: number): ToolCallRequest => {
  const tool = tools.find((one) => one.name === name)
  return {
    agent: {
      ...agent,
      version: '1',
      lifecycle: 'released',
      riskTier: null,
      allowedTools: [],
      requireApproval: [],
      approvals: { group: 'owners', quorum: 1, expiresAfterSeconds: 60 },
    },
    releaseId: newId(),
    releaseDigest: `sha256:${'0'.repeat(64)}`,
    environment: 'production',
    tool: { server: 'bank', name, sideEffect: 'write', idempotent: false, ...tool },
    arguments: { amount },
    toolCalls: 0,
    fulfilled: [],
  }
}
const newVersion = async (source: string): Promise<number> => (await run(createVersion, { policyId, source })).version

const bindIn = (environment: string) =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    const id = newId()
    const row = { tenantId: tenant.id, id, agentId: agent.id, environment, policyId, policyVersion: 1 }
    const more = { mode: 'enforce' as const, approvalId: newId(), proposedBy: maria.principal.memberId }
    await insertBinding(tx, { ...row, ...more })
    await setBindingDecided(tx, tenant.id, id, 'active')
  })

beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  maria = await tenant.as('maria', { roles: ['developer'] })
  agent = (await run(createAgent, { yaml: `name: agent-${newSpanId()}` })).agent
  await runtime.database.inTenant(tenant.id, (tx) => keepToolSchemas(tx, tenant.id, tools))
  policyId = (await run(createPolicy, { name: 'payments' })).id
  await newVersion(`${pay}\n${over('100.0')}`)
  await run(publishVersion, { policyId, version: 1 })
  await bindIn('production')
  for (const [name, amount] of [
    ['pay', 5],
    ['pay', 500],
    ['close', 0],
  ] as const) {
    const made = await runtime.database.inTenant(tenant.id, (tx) => decide(tx, tenant, request(name, amount)))
    decisions.push(made.decisionId)
  }
})
afterAll(async () => {
  await closeEngine()
  await runtime.close()
})

const period = { environment: 'production', from, to }

test('simulating the version that decided changes no decision', async () => {
  expect(await run(simulate, { policyId, version: 1, ...period })).toEqual({
    evaluated: 3,
    notStored: 0,
    changed: 0,
    flips: [],
    items: [],
    nextCursor: null,
  })
  for (const decisionId of decisions) expect(await run(recompute, { decisionId })).toMatchObject({ same: true })
})

test('lists only decisions determined by the policy’s own rules, with those rules', async () => {
  const { items } = await run(listDecisions, { policyId })
  // A call denied for lack of a permit was not determined by any rule of the policy.
  expect(
    items.map(({ decisionId, effect, resource, reasons }) => [decisionId, effect, resource, reasons[0]?.rule]),
  ).toEqual([
    [decisions[1], 'require_approval', 'bank/pay', 'ask'],
    [decisions[0], 'allow', 'bank/pay', 'pay'],
  ])
  expect(items[0]).toMatchObject({ agentId: agent.id, agentName: agent.name, executionId: null })
  const other = await run(createPolicy, { name: 'never-bound' })
  expect(await run(listDecisions, { policyId: other.id })).toMatchObject({ items: [], nextCursor: null })
  await expect(run(listDecisions, { policyId: newId() })).rejects.toMatchObject({ code: 'not_found' })
})

test('the rules of a version are in words, with the decisions of the last day and the agents that they reach', async () => {
  const found = await run(rules, { policyId, version: 1 })
  const none = { allow: 0, deny: 0, require_approval: 0 }
  expect(found.rules).toMatchObject([
    {
      rule: 'pay',
      effect: 'permit',
      words: 'It applies to calls of bank/pay.',
      line: 1,
      decisions: { ...none, allow: 1 },
    },
    {
      rule: 'ask',
      effect: 'forbid',
      words: 'It applies to tool calls, when the argument amount is greater than 100.0.',
      obligation: 'approval',
      line: 2,
      decisions: { ...none, require_approval: 1 },
    },
  ])
  expect(found).toMatchObject({ allCounted: true, reachesMore: false })
  expect(found.reach).toEqual([
    {
      agentId: agent.id,
      agentName: agent.name,
      displayName: agent.name,
      environment: 'production',
      mode: 'enforce',
      by: 'agent',
    },
  ])
  // Another version of the same policy neither decided nor is bound.
  const draft = await newVersion(`${pay} ${all}`)
  const other = await run(rules, { policyId, version: draft })
  expect(other.rules.map(({ rule, decisions }) => [rule, decisions])).toEqual([
    ['pay', none],
    ['all', none],
  ])
  expect(other.reach).toEqual([])
  await expect(run(rules, { policyId, version: 99 })).rejects.toMatchObject({ code: 'not_found' })
  await expect(run(rules, { policyId: newId(), version: 1 })).rejects.toMatchObject({ code: 'not_found' })
})

test('lists decisions in pages, each once, by agent, environment, effect and period', async () => {
  const found = async (input: object) => (await run(listDecisions, input)).items.map(({ decisionId }) => decisionId)
  const newest = decisions.toReversed()
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await run(listDecisions, { limit: 1, ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...page.items.map(({ decisionId }) => decisionId))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(seen).toEqual(newest)
  expect(await found({ agentId: agent.id, environment: 'production', from, to })).toEqual(newest)
  expect(await found({ effect: 'deny' })).toEqual([decisions[2]])
  expect(await found({ policyId, effect: 'allow' })).toEqual([decisions[0]])
  for (const none of [{ agentId: newId() }, { environment: 'staging' }, { to: from }])
    expect(await found(none)).toEqual([])
  const stranger = await (await testTenant(runtime)).as('x', { roles: ['viewer'] })
  expect(await run(listDecisions, {}, stranger)).toMatchObject({ items: [], nextCursor: null })
})

test('the next page continues where a page that reached its search limit stopped', async () => {
  const { id } = tenant
  const filter = { effect: 'allow' }
  await runtime.database.inTenant(id, async (tx) => {
    const searched = { searched: 2, limit: 10, cursor: undefined }
    expect(await listFilteredDecisions(tx, id, filter, searched)).toEqual([])
    const last = await findLastSearched(tx, id, filter, 2, undefined)
    expect(last?.id).toBe(decisions[1])
    const rest = await listFilteredDecisions(tx, id, filter, { ...searched, cursor: last?.id })
    expect(rest.map((row) => row.id)).toEqual([decisions[0]])
    expect(await findLastSearched(tx, id, filter, 2, last?.id)).toBeUndefined()
  })
})

test('a draft’s changes are listed with newly allowed calls first', async () => {
  const version = await newVersion(
    `${all}\n${over('1.0')}\n@id("no") forbid (${scope}) when { context.arguments has amount && context.arguments.amount == decimal("500.0") };`,
  )
  const answer = await run(simulate, { policyId, version, ...period })
  expect(answer).toMatchObject({
    evaluated: 3,
    changed: 3,
    flips: expect.arrayContaining([
      { before: 'require_approval', after: 'deny', count: 1 },
      { before: 'allow', after: 'require_approval', count: 1 },
    ]),
  })
  expect(answer.flips[0]).toEqual({ before: 'deny', after: 'allow', count: 1 })
  expect(answer.items[0]).toMatchObject({
    decisionId: decisions[2],
    resource: 'bank/close',
    reasonsBefore: [{ code: 'no_permit' }],
    reasonsAfter: [{ rule: 'all' }],
  })
})

test('pages cover the period once and exclude decisions on other agents', async () => {
  const version = await newVersion(`${all}\n`)
  const seen: string[] = []
  let cursor: string | undefined
  let evaluated = 0
  do {
    const page = await run(simulate, {
      policyId,
      version,
      ...period,
      limit: 1,
      ...(cursor === undefined ? {} : { cursor }),
    })
    seen.push(...page.items.map(({ decisionId }) => decisionId))
    evaluated += page.evaluated
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(evaluated).toBe(3)
  expect(seen).toEqual([decisions[2], decisions[1]])
  expect(await run(simulate, { policyId, version, ...period, environment: 'staging' })).toMatchObject({ evaluated: 0 })
  expect(await run(simulate, { policyId, version, ...period, agentId: newId() })).toMatchObject({ evaluated: 0 })
  const earlier = { from: '2020-01-01T00:00:00.000Z', to: from }
  expect(await run(simulate, { policyId, version, ...period, ...earlier })).toMatchObject({ evaluated: 0 })
})

test('an approved call stays allowed by a version with the same rule, and other approvers or masks are a change', async () => {
  const environment = 'trial'
  await bindIn(environment)
  await runtime.database.inTenant(tenant.id, async (tx) => {
    const call = { ...request('pay', 500), environment }
    const { approval } = await decide(tx, tenant, call)
    expect(await decide(tx, tenant, { ...call, fulfilled: approval?.tokens ?? [] })).toMatchObject({ effect: 'allow' })
  })
  const changedBy = async (source: string) => {
    const input = { policyId, version: await newVersion(source), ...period, environment }
    const { evaluated, changed, flips } = await run(simulate, input)
    expect([evaluated, changed]).toEqual([2, flips.reduce((sum, { count }) => sum + count, 0)])
    return flips
  }
  const asked = over('100.0')
  expect(await changedBy(`${pay}\n${asked}\n// The same rules.`)).toEqual([])
  const byTwo = asked.replace('@obligation("approval")', '@obligation("approval") @approval_quorum("2")')
  expect(await changedBy(`${pay}\n${byTwo}`)).toEqual([
    { before: 'require_approval', after: 'require_approval', count: 1 },
  ])
  const mask = `@id("hide") @obligation("mask") @mask_paths("$.amount") forbid (${scope}) unless { context.fulfilled.contains("mask:hide") };`
  expect(await changedBy(`${pay}\n${asked}\n${mask}`)).toContainEqual({ before: 'allow', after: 'allow', count: 1 })
  const another = asked.replaceAll('"ask"', '"more"').replace('approval:ask', 'approval:more')
  expect(await changedBy(`${pay}\n${asked}\n${another}`)).toContainEqual({
    before: 'allow',
    after: 'require_approval',
    count: 1,
  })
})

test('a decision whose request was erased or deleted by age is not counted as tried', async () => {
  const environment = 'gone'
  await bindIn(environment)
  const made = await runtime.database.inTenant(tenant.id, async (tx) => {
    await decide(tx, tenant, { ...request('pay', 5), environment })
    return await decide(tx, tenant, { ...request('pay', 6), environment })
  })
  await asOwner(runtime, 'update policy_decisions set request = null where tenant_id = $1 and id = $2', [
    tenant.id,
    made.decisionId,
  ])
  const version = await newVersion(`@id("none") forbid (principal, action, resource);`)
  expect(await run(simulate, { policyId, version, ...period, environment })).toMatchObject({
    evaluated: 1,
    notStored: 1,
    changed: 1,
  })
})

test('a simulation records nothing and requires policy:author', async () => {
  const count = () =>
    runtime.database.inTenant(tenant.id, (tx) =>
      tx.selectFrom('policyDecisions').select('id').where('tenantId', '=', tenant.id).execute(),
    )
  const before = (await count()).length
  await run(simulate, { policyId, version: 1, ...period })
  expect(await count()).toHaveLength(before)
  const viewer = await tenant.as('vic', { roles: ['viewer'] })
  await expect(run(simulate, { policyId, version: 1, ...period }, viewer)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(run(simulate, { policyId, version: 99, ...period })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(/ does not have a version 99\.$/),
  })
})

test('recomputes a call to an external runtime, whose arguments are not declared', async () => {
  const rest = request('pay', 5)
  const tool = { ...rest.tool, server: runtimeServer, name: 'http', inputSchema: runtimeSchema }
  const made = await runtime.database.inTenant(tenant.id, (tx) => decide(tx, tenant, { ...rest, tool }))
  // The rule on amounts can't see the argument, so it neither fails nor matches.
  expect(made).toMatchObject({ effect: 'deny', reasons: [{ code: 'no_permit' }] })
  expect(await run(recompute, { decisionId: made.decisionId })).toMatchObject({ same: true })
})
