// Longer than other files: one runtime and its policies serve every case.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { create as createAgent } from '#server/agents/create.ts'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { suspend } from '#server/agents/suspend.ts'
import { cancel } from '#server/approvals/cancel.ts'
import { decide as decideApproval } from '#server/approvals/decide.ts'
import { get as getApproval } from '#server/approvals/get.ts'
import { requestChanges } from '#server/approvals/revisions/request-changes.ts'
import { followLog, headOfLog } from '#server/audit/follow-log.ts'
import { changesOf } from '#server/changes/topics.ts'
import { readShared } from '#server/executions/gateway/read-shared.ts'
import { releasedTools } from '#server/executions/gateway/released-tools.ts'
import { startCall } from '#server/executions/gateway/start-call.ts'
import { toolsAt } from '#server/executions/gateway/tools-at.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { requireAllBound } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId, newSpanId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { listBudgets } from '#server/policies/budgets/list.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { recompute } from '#server/policies/decisions/recompute.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { propose as proposeRelease } from '#server/releases/propose.ts'
import { withdraw as withdrawRelease } from '#server/releases/withdraw.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { evaluate } from './evaluate.ts'
import { requestApproval } from './request-approval.ts'
import { settle } from './settle.ts'

// Agents that run outside Countersign get the same decisions, approvals and records as executions.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let robot: Caller
let owner: Caller
let jonas: Caller
let agentId: string
let policyId: string
/** The owner of the database. */
let sql: Client

const environment = 'production'
const scope = 'principal, action in Countersign::Action::"ToolCall", resource'
const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown, caller = robot): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const approve = (approvalId: string, caller = jonas, decision = 'approve') =>
  run(decideApproval, { approvalId, decision, decisionAcknowledged: true, reason: 'Read it.' }, caller)
const refund = (amount: string, more: object = {}) => ({
  agentId,
  environment,
  resource: 'payments/issue_refund',
  arguments: { id: 'A-1001', amount, currency: 'EUR' },
  ...more,
})
const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => runtime.database.inTenant(tenant.id, work)
const audited = async (id: string) =>
  (
    await runtime.database.inTenant(tenant.id, (tx) =>
      tx
        .selectFrom('auditRecords')
        .select(['type', 'record'])
        .where('tenantId', '=', tenant.id)
        .orderBy('seq')
        .execute(),
    )
  )
    .filter(({ record }) => (record as { resource: { id: string } }).resource.id === id)
    .map(({ type }) => type)

async function publishAndBind(source: string): Promise<string> {
  const policy = await run(createPolicy, { name: `policy-${newSpanId()}` })
  await run(createVersion, { policyId: policy.id, source })
  await run(publishVersion, { policyId: policy.id, version: 1 })
  const { approvalId } = await run(proposeBinding, { agentId, environment, policyId: policy.id, policyVersion: 1 })
  await approve(approvalId)
  return policy.id
}

beforeAll(async () => {
  const payments = {
    command: process.execPath,
    args: [join(import.meta.dirname, '../demo/payments-process.ts')],
    env: {},
    tenants: ['ext-elsewhere'],
  }
  runtime = await testRuntime({ mcpServers: { payments } })
  await runtime.queue.work([{ queue: 'approval-expiry', concurrency: 1, run: () => Promise.resolve() }])
  registerDecisions()
  tenant = await testTenant(runtime, 'elsewhere')
  owner = await tenant.as('maria', { roles: ['developer', 'approver', 'operator'], groups: ['change-approvers'] })
  jonas = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
  robot = await tenant.as('robot', {
    roles: ['developer'],
    kind: 'service_account',
    createdBy: owner.principal.memberId,
  })
  const yaml = (await readFile(join(import.meta.dirname, '../demo/refund-assistant.yaml'), 'utf8'))
    .replace('owner: maria@northwind.example', 'x-owner: none')
    .replaceAll('refund-approvers', 'change-approvers')
    .replace('requireApproval: [issue_refund]', 'requireApproval: []')
  agentId = (await run(createAgent, { yaml })).agentId
  policyId = await publishAndBind(
    `@id("all") permit (${scope});
@id("ceiling") forbid (principal, action == Countersign::Action::"payments/issue_refund", resource) when { context.arguments has amount && context.arguments.amount.greaterThan(decimal("10000.0")) };
@id("ask") @obligation("approval") forbid (principal, action == Countersign::Action::"payments/issue_refund", resource) when { context.arguments has amount && context.arguments.amount.greaterThan(decimal("100.0")) } unless { context.fulfilled.contains("approval:ask") };
@id("mask") @obligation("mask") @mask_paths("$.currency") forbid (${scope}) unless { context.fulfilled.contains("mask:mask") };`,
  )
  const release = await run(proposeRelease, { agentId, version: '1.4.0', environment })
  await approve(release.approvalId)
  // As in an installation: until then, rows are not compared with the log.
  expect(await adoptTenant(tenant.id)).toBe(true)
  sql = await connectAsOwner(runtime)
})
afterAll(async () => {
  await sql.end()
  await closeToolServers()
  await closeEngine()
  await runtime.close()
})

describe('policies.evaluate', () => {
  test('allows permitted calls, returns the masked arguments, and records a decision that can be recomputed', async () => {
    const answer = await run(evaluate, refund('50.00'))
    expect(answer).toMatchObject({
      effect: 'allow',
      reasons: [{ rule: 'all' }, { rule: 'mask' }],
      obligations: [{ kind: 'mask' }],
      policyVersion: [{ version: 1 }],
      arguments: { id: 'A-1001', amount: '50.00', currency: '[redacted]' },
    })
    expect(await audited(answer.decisionId)).toEqual(['policy.evaluated'])
    expect(await run(recompute, { decisionId: answer.decisionId })).toMatchObject({ same: true })
  })

  test('denies with the reason and without arguments', async () => {
    const answer = await run(evaluate, refund('10000.01'))
    expect(answer).toMatchObject({ effect: 'deny', reasons: [{ rule: 'ceiling', policyId }] })
    expect(answer).not.toHaveProperty('arguments')
    expect(await run(evaluate, refund('a lot'))).toMatchObject({
      effect: 'deny',
      reasons: [{ code: 'arguments_invalid' }],
    })
  })

  test('denies a number where the tool takes only a text, before anyone is asked, and the decision can be recomputed', async () => {
    const call = { ...refund('500.00'), arguments: { id: 'A-1001', amount: 500, currency: 'EUR' } }
    const message = 'The arguments do not fit what the tool declares: $.amount is not a string.'
    const denied = { effect: 'deny', reasons: [{ code: 'arguments_invalid', message }] }
    expect(await run(evaluate, call)).toMatchObject(denied)
    const answer = await run(requestApproval, call)
    expect(answer).toMatchObject(denied)
    expect(answer).not.toHaveProperty('approvalId')
    expect(await run(recompute, { decisionId: answer.decisionId })).toMatchObject({ same: true })
  })

  test('decides by bindings that have changed since the last call, with one record', async () => {
    await run(evaluate, refund('50.00'))
    const text = 'update policy_binding_revisions set revision = gen_random_uuid() where tenant_id = $1'
    await sql.query(text, [tenant.id])
    const answer = await run(evaluate, refund('50.00'))
    expect(answer).toMatchObject({ effect: 'allow' })
    expect(await audited(answer.decisionId)).toEqual(['policy.evaluated'])
    expect(await run(recompute, { decisionId: answer.decisionId })).toMatchObject({ same: true })
    await inTenant((tx) => requireAllBound(tx, tenant.id, 'decision'))
  })

  test('does so for a call that requires an approval, whose decision is sent before standing grants are read', async () => {
    await run(evaluate, refund('500.00'))
    const count = async () =>
      (await sql.query('select count(*)::int as count from policy_decisions where tenant_id = $1', [tenant.id])).rows[0]
        .count
    const before = await count()
    await sql.query('update policy_binding_revisions set revision = gen_random_uuid() where tenant_id = $1', [
      tenant.id,
    ])
    const answer = await run(evaluate, refund('500.00'))
    expect(answer).toMatchObject({ effect: 'require_approval' })
    expect(await audited(answer.decisionId)).toEqual(['policy.evaluated'])
    expect(await count()).toBe(before + 1)
    await inTenant((tx) => requireAllBound(tx, tenant.id, 'decision'))
  })

  test('decides model calls as well', async () => {
    const call = {
      agentId,
      environment,
      action: 'ModelCall',
      resource: 'openai/gpt',
      arguments: { inputCharacters: 5 },
    }
    expect(await run(evaluate, call)).toMatchObject({ effect: 'deny', reasons: [{ code: 'no_permit' }] })
  })

  test('rejects calls that are not released and callers without the permission', async () => {
    await expect(run(evaluate, refund('5', { resource: 'payments/close' }))).rejects.toMatchObject({
      code: 'policy_denied',
    })
    await expect(run(evaluate, refund('5', { environment: 'staging' }))).rejects.toMatchObject({
      code: 'release_required',
    })
    const unknown = { code: 'not_found', message: 'No agent has this id.' }
    await expect(run(evaluate, refund('5', { agentId: newId() }))).rejects.toMatchObject(unknown)
    await expect(run(evaluate, refund('5'), jonas)).rejects.toMatchObject({ code: 'forbidden' })
    const stranger = await (await testTenant(runtime)).as('x', { roles: ['developer'] })
    await expect(run(evaluate, refund('5'), stranger)).rejects.toMatchObject(unknown)
  })
})

describe.each([
  ['the release', `update releases set content = jsonb_set(content, '{spec,limits}', '{"maxToolCalls":7}')`],
  ['the agent', `update agents set display_name = 'Another one'`],
])('when SQL has changed %s', (_what, change) => {
  const [, table = ''] = change.split(' ')
  beforeAll(async () => {
    await sql.query(`create temporary table kept as select * from ${table} where tenant_id = $1`, [tenant.id])
    await sql.query(`${change} where tenant_id = $1`, [tenant.id])
  })
  afterAll(async () => {
    const column = change.split(' ')[3]
    await sql.query(`update ${table} now set ${column} = kept.${column} from kept where now.id = kept.id`)
    await sql.query('drop table kept')
    expect(await run(evaluate, refund('50.00'))).toMatchObject({ effect: 'allow' })
  })
  const call = { server: 'payments', tool: 'lookup_order', arguments: { id: 'A-1001' } }
  const resource = { server: 'payments', kind: 'resource', name: 'orders://all' }
  const acts: [string, () => Promise<unknown>][] = [
    ['a decision', () => run(evaluate, refund('50.00'))],
    ['a request for approval', () => run(requestApproval, refund('500.00'))],
    ['a call through the gateway', () => run(startCall, { agentId, environment, ...call })],
    ['a resource through the gateway', () => run(readShared, { agentId, environment, ...resource })],
    ['the tools of the gateway', () => run(releasedTools, { agent: agentId, server: 'payments', environment })],
    [
      'the tools that a client asks for',
      () => toolsAt(tenant.id, { externalId: 'ext-elsewhere', agent: agentId, server: 'payments' }),
    ],
  ]

  test.each(acts)('refuses %s, and leaves no record of a decision', async (_act, act) => {
    const count = 'select count(*)::int as count from policy_decisions where tenant_id = $1'
    const before = await sql.query(count, [tenant.id])
    await expect(act()).rejects.toMatchObject({ code: 'integrity_failed' })
    expect((await sql.query(count, [tenant.id])).rows).toEqual(before.rows)
  })
})

describe('approvals.request', () => {
  const ask = async (amount = '500.00') => {
    const asked = await run(requestApproval, refund(amount))
    expect(asked).toMatchObject({ effect: 'require_approval', payloadDigest: expect.any(String) })
    return asked.approvalId ?? ''
  }

  test('an approval allows the requester exactly this call, once', async () => {
    expect(await run(evaluate, refund('500.00'))).toMatchObject({ effect: 'require_approval' })
    const approvalId = await ask()
    await expect(run(evaluate, refund('500.00', { approvalId }))).rejects.toMatchObject({ code: 'not_ready' })
    await approve(approvalId)
    expect(await run(getApproval, { approvalId })).toMatchObject({ status: 'approved', usedAt: null })
    for (const other of [refund('501.00', { approvalId }), refund('500.0', { approvalId })])
      await expect(run(evaluate, other)).rejects.toMatchObject({ code: 'digest_mismatch', status: 409 })
    await expect(run(evaluate, refund('500.00', { approvalId }), owner)).rejects.toMatchObject({
      code: 'digest_mismatch',
    })
    const before = await runtime.database.inTenant(tenant.id, (tx) => headOfLog(tx, tenant.id))
    const answer = await run(evaluate, refund('500.00', { approvalId }))
    expect(answer).toMatchObject({ effect: 'allow', approvalId, arguments: { amount: '500.00' } })
    const { records } = await runtime.database.inTenant(tenant.id, (tx) => followLog(tx, tenant.id, before))
    expect(records?.flatMap(changesOf)).toContainEqual({ topic: 'approvals', id: approvalId })
    await expect(run(evaluate, refund('500.00', { approvalId }))).rejects.toMatchObject({ code: 'digest_mismatch' })
    expect(await run(getApproval, { approvalId })).toMatchObject({ usedAt: expect.any(String) })
    expect(await run(recompute, { decisionId: answer.decisionId })).toMatchObject({ same: true })
  })

  test('other arguments replace a request of which a reviewer wanted changes, once', async () => {
    const approvalId = await ask('700.00')
    await expect(run(requestApproval, refund('350.00', { supersedes: approvalId }))).rejects.toMatchObject({
      code: 'conflict',
    })
    await run(requestChanges, { approvalId, reason: 'Half of it.' }, jonas)
    await expect(run(evaluate, refund('700.00', { approvalId }))).rejects.toMatchObject({ code: 'policy_denied' })
    const next = await run(requestApproval, refund('350.00', { supersedes: approvalId }))
    expect(await run(getApproval, { approvalId: next.approvalId })).toMatchObject({
      status: 'pending',
      votes: [],
      supersedes: { approvalId, changed: [{ path: 'amount', after: { value: '350.00' } }] },
    })
    await expect(run(requestApproval, refund('340.00', { supersedes: approvalId }))).rejects.toMatchObject({
      code: 'conflict',
    })
    await approve(next.approvalId ?? '')
    expect(await run(evaluate, refund('350.00', { approvalId: next.approvalId }))).toMatchObject({ effect: 'allow' })
  })

  test('of twenty concurrent uses of an approval, one is allowed', async () => {
    const approvalId = await ask('600.00')
    await approve(approvalId)
    const uses = await Promise.allSettled(
      Array.from({ length: 20 }, () => run(evaluate, refund('600.00', { approvalId }))),
    )
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('reviewers see the masked arguments, and the agent’s owner cannot decide', async () => {
    const approvalId = await ask()
    expect(await run(getApproval, { approvalId }, jonas)).toMatchObject({
      kind: 'external_call',
      eligible: true,
      presentation: {
        action: 'ToolCall',
        resource: 'payments/issue_refund',
        executionId: null,
        arguments: expect.arrayContaining([{ path: 'currency', value: '[redacted]' }]),
        policy: { rule: 'ask' },
      },
    })
    await expect(approve(approvalId, owner)).rejects.toMatchObject({ code: 'separation_of_duties' })
  })

  test('a rejected request does not allow the call', async () => {
    const approvalId = await ask()
    await approve(approvalId, jonas, 'reject')
    await expect(run(evaluate, refund('500.00', { approvalId }))).rejects.toMatchObject({ code: 'policy_denied' })
  })

  test('no approval is requested for a call that is allowed or denied without one', async () => {
    for (const [amount, effect] of [
      ['50.00', 'allow'],
      ['20000.00', 'deny'],
    ] as const) {
      const answer = await run(requestApproval, refund(amount))
      expect(answer.effect).toBe(effect)
      expect(answer).not.toHaveProperty('approvalId')
    }
  })

  test('a budget is reserved with the decision and charged once with the usage that the agent reports', async () => {
    const budgetPolicy = await publishAndBind(
      `@id("purse") @obligation("budget") @budget_limit("2") @budget_unit("calls") forbid (principal, action == Countersign::Action::"payments/issue_refund", resource) when { context.arguments has amount && context.arguments.amount == decimal("80.0") } unless { context.fulfilled.contains("budget:purse") };`,
    )
    const used = async () => (await run(listBudgets, { policyId: budgetPolicy })).items.map((item) => item.used)
    const [one, two, three] = [
      await run(evaluate, refund('80.00')),
      await run(evaluate, refund('80.00')),
      await run(evaluate, refund('80.00')),
    ]
    expect([one.effect, two.effect, three.effect]).toEqual(['allow', 'allow', 'deny'])
    expect(one.obligations.find(({ kind }) => kind === 'budget')?.parameters).toMatchObject({ amount: '1', used: '0' })
    expect(three).toMatchObject({ reasons: [{ code: 'budget_exhausted' }, { rule: 'purse' }] })
    expect(three).not.toHaveProperty('arguments')
    expect(await used()).toEqual(['2'])

    const settled = { decisionId: one.decisionId, made: false }
    await expect(run(settle, settled, owner)).rejects.toMatchObject({ code: 'conflict' })
    await expect(run(settle, { ...settled, decisionId: newId() })).rejects.toMatchObject({ code: 'not_found' })
    const rivals = await Promise.allSettled(Array.from({ length: 10 }, () => run(settle, settled)))
    expect(rivals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(run(settle, settled)).rejects.toMatchObject({ code: 'conflict' })
    await expect(run(settle, { decisionId: three.decisionId, made: true })).rejects.toMatchObject({ code: 'conflict' })
    expect(await used()).toEqual(['1'])
    expect(await audited(one.decisionId)).toEqual(['policy.evaluated', 'policy.budget_settled'])
    expect(await run(settle, { decisionId: two.decisionId, made: true })).toMatchObject({
      settled: [{ rule: 'purse', unit: 'calls', reserved: '1', charged: '1' }],
    })
    expect(await run(evaluate, refund('80.00'))).toMatchObject({ effect: 'allow' })
    expect(await run(evaluate, refund('80.00'))).toMatchObject({ effect: 'deny' })
  })

  test('a model call reserves the tokens and cost of the size that the agent states', async () => {
    await publishAndBind(`@id("models") permit (principal, action == Countersign::Action::"ModelCall", resource);
@id("tokens") @obligation("budget") @budget_limit("1000") @budget_unit("tokens") forbid (principal, action == Countersign::Action::"ModelCall", resource) unless { context.fulfilled.contains("budget:tokens") };`)
    const call = (args: object) => ({
      agentId,
      environment,
      action: 'ModelCall',
      resource: 'openai/gpt',
      arguments: args,
    })
    expect(await run(evaluate, call({ inputCharacters: 5 }))).toMatchObject({
      effect: 'deny',
      reasons: [{ code: 'obligation_unsupported' }, { rule: 'tokens' }],
    })
    const answer = await run(evaluate, call({ inputCharacters: 100, maxOutputTokens: 600 }))
    expect(answer).toMatchObject({ effect: 'allow', obligations: [{ parameters: { amount: '1000', used: '0' } }] })
    expect(await run(evaluate, call({ inputCharacters: 0, maxOutputTokens: 1 }))).toMatchObject({ effect: 'deny' })
    const usage = { inputTokens: 20, outputTokens: 30 }
    expect(await run(settle, { decisionId: answer.decisionId, made: true, usage })).toMatchObject({
      settled: [{ reserved: '1000', charged: '50' }],
    })
    expect(await run(evaluate, call({ inputCharacters: 0, maxOutputTokens: 950 }))).toMatchObject({ effect: 'allow' })
  })

  test('no approval is requested for a call that a budget does not cover', async () => {
    await publishAndBind(
      `@id("none") @obligation("budget") @budget_limit("0") @budget_unit("calls") forbid (principal, action == Countersign::Action::"payments/issue_refund", resource) when { context.arguments has amount && context.arguments.amount == decimal("800.0") } unless { context.fulfilled.contains("budget:none") };`,
    )
    const answer = await run(requestApproval, refund('800.00'))
    expect(answer).toMatchObject({ effect: 'deny', reasons: [{ code: 'budget_exhausted' }, { rule: 'none' }] })
    expect(answer).not.toHaveProperty('approvalId')
  })

  test('a hard forbid bound after the approval takes precedence', async () => {
    const approvalId = await ask('700.00')
    await approve(approvalId)
    await publishAndBind(
      `@id("stop") forbid (principal, action == Countersign::Action::"payments/issue_refund", resource) when { context.arguments has amount && context.arguments.amount == decimal("700.0") };`,
    )
    expect(await run(evaluate, refund('700.00', { approvalId }))).toMatchObject({
      effect: 'deny',
      reasons: [{ rule: 'stop' }],
    })
    expect(await run(getApproval, { approvalId })).toMatchObject({ usedAt: null })
  })

  test('only the requester can cancel an approval, once', async () => {
    const approvalId = await ask()
    const input = { approvalId, reason: 'No longer needed.' }
    const other = await tenant.as('otto', { roles: ['developer'] })
    await expect(run(cancel, input, other)).rejects.toMatchObject({ code: 'not_eligible' })
    await expect(run(cancel, { ...input, expectedRevision: 9 })).rejects.toMatchObject({ code: 'revision_conflict' })
    expect(await run(cancel, { ...input, expectedRevision: 1 })).toMatchObject({ status: 'canceled', revision: 2 })
    const { memberId: id, displayName } = robot.principal
    expect((await run(getApproval, { approvalId })).canceled).toEqual({
      by: { kind: 'service_account', id, displayName },
      at: expect.any(String),
      reason: input.reason,
    })
    await expect(run(cancel, input)).rejects.toMatchObject({ code: 'already_decided' })
    await expect(approve(approvalId)).rejects.toMatchObject({ code: 'already_decided' })
    await expect(run(evaluate, refund('500.00', { approvalId }))).rejects.toMatchObject({ code: 'policy_denied' })
    expect(await audited(approvalId)).toEqual(['approval.requested', 'approval.canceled.refused', 'approval.canceled'])
  })

  test('the approval of a change cannot be canceled separately: who withdraws the change cancels it', async () => {
    const { approvalId, releaseId } = await run(proposeRelease, { agentId, version: '1.4.0', environment })
    const input = { approvalId, reason: 'No longer needed.' }
    await expect(run(cancel, input)).rejects.toMatchObject({ code: 'conflict' })
    await run(withdrawRelease, { id: releaseId, expectedRevision: 1, reason: 'Proposed by mistake.' }, owner)
    const { canceled } = await run(getApproval, { approvalId })
    expect(canceled).toMatchObject({ by: { id: owner.principal.memberId, kind: 'person' }, reason: null })
  })

  test('a suspended agent is rejected even with an approval', async () => {
    const approvalId = await ask()
    await approve(approvalId)
    const { revision } = await runtime.database.inTenant(tenant.id, (tx) =>
      tx.selectFrom('agents').select('revision').where('id', '=', agentId).executeTakeFirstOrThrow(),
    )
    await run(suspend, { id: agentId, expectedRevision: revision, reason: 'Stop.' }, owner)
    await expect(run(evaluate, refund('500.00', { approvalId }))).rejects.toMatchObject({ code: 'agent_suspended' })
    await expect(run(requestApproval, refund('500.00'))).rejects.toMatchObject({ code: 'agent_suspended' })
  })
})

describe('local tools', () => {
  const yaml = (name: string, description: string) => `metadata: { name: ${name}, version: "${description.length}" }
spec:
  runtime: { observe: {} }
  tools:
    - local:
        - name: Bash
          description: ${description}
          inputSchema: { type: object, properties: { command: { type: string } }, required: [command] }
        - { name: Read, annotations: { readOnlyHint: true } }
      requireApproval: [Bash]
`
  let local: string
  const call = (tool: string, args: object) => ({
    agentId: local,
    environment,
    resource: `local/${tool}`,
    arguments: args,
  })

  beforeAll(async () => {
    const registered = await run(createAgent, { yaml: yaml('coder', 'Runs a command') })
    expect(registered.warnings).toEqual([])
    local = registered.agentId
    const policy = await run(createPolicy, { name: `policy-${newSpanId()}` })
    await run(createVersion, { policyId: policy.id, source: `@id("all") permit (${scope});` })
    await run(publishVersion, { policyId: policy.id, version: 1 })
    const binding = { agentId: local, environment, policyId: policy.id, policyVersion: 1 }
    await approve((await run(proposeBinding, binding)).approvalId)
    const release = { agentId: local, version: '14', environment }
    await approve((await run(proposeRelease, release)).approvalId)
  })

  test('are pinned by the release with their hints, and decided like any other', async () => {
    expect(await run(evaluate, call('Read', { path: 'a' }))).toMatchObject({
      effect: 'allow',
      arguments: { path: 'a' },
    })
    expect(await run(evaluate, call('Bash', { command: 'ls' }))).toMatchObject({ effect: 'require_approval' })
    await expect(run(evaluate, call('Write', {}))).rejects.toMatchObject({ code: 'policy_denied' })
  })

  test('are approved once, with exactly the requested arguments', async () => {
    const { approvalId = '' } = await run(requestApproval, call('Bash', { command: 'make' }))
    const shown = await run(getApproval, { approvalId }, jonas)
    expect(JSON.stringify(shown)).toContain('Runs a command')
    await approve(approvalId)
    await expect(run(evaluate, { ...call('Bash', { command: 'make all' }), approvalId })).rejects.toMatchObject({
      code: 'digest_mismatch',
    })
    expect(await run(evaluate, { ...call('Bash', { command: 'make' }), approvalId })).toMatchObject({ effect: 'allow' })
  })

  test('have a new digest in a release after a change of their description', async () => {
    const { warnings } = await run(createAgent, { yaml: yaml('coder', 'Runs any command as root') })
    expect(warnings).toEqual([])
    const { digest } = await run(proposeRelease, { agentId: local, version: '24', environment })
    const { digest: before } = await run(proposeRelease, { agentId: local, version: '14', environment })
    expect(digest).not.toBe(before)
  })
})
