import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compare } from '#server/agents/compare.ts'
import { create as createAgent } from '#server/agents/create.ts'
import { get as getAgent } from '#server/agents/get.ts'
import { retire } from '#server/agents/retire.ts'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { suspend } from '#server/agents/suspend.ts'
import { versions } from '#server/agents/versions.ts'
import { decide as decideApproval } from '#server/approvals/decide.ts'
import { get as getApproval } from '#server/approvals/get.ts'
import { evaluate } from '#server/external-agents/evaluate.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId, newSpanId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { revokeBinding } from '#server/policies/bindings/revoke.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { propose } from './propose.ts'
import { revoke } from './revoke.ts'
import { withdraw } from './withdraw.ts'

// Every transition of a release with its audit record, and the comparison of an agent's versions.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let pipeline: Caller
let jonas: Caller
let operator: Caller

beforeAll(async () => {
  const payments = {
    command: process.execPath,
    args: [join(import.meta.dirname, '../demo/payments-process.ts')],
    env: {},
    tenants: ['ext-releases'],
  }
  runtime = await testRuntime({ mcpServers: { payments } })
  await runtime.queue.work([{ queue: 'approval-expiry', concurrency: 1, run: () => Promise.resolve() }])
  registerDecisions()
  tenant = await testTenant(runtime, 'releases')
  const owner = await tenant.as('maria', { roles: ['developer'] })
  jonas = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
  operator = await tenant.as('oleg', { roles: ['operator'] })
  pipeline = await tenant.as('ci-pipeline', {
    roles: ['developer'],
    kind: 'service_account',
    createdBy: owner.principal.memberId,
  })
})
afterAll(async () => {
  await closeToolServers()
  await closeEngine()
  await runtime.close()
})

const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown, caller = pipeline): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const manifest = (name: string, version: string, spec: object = {}) =>
  JSON.stringify({
    metadata: { name, version },
    spec: {
      risk: { tier: 'low', dataClasses: ['personal'] },
      runtime: {
        steps: [{ id: 'order', tool: { server: 'payments', name: 'lookup_order', arguments: { id: 'A-1001' } } }],
      },
      tools: [{ mcp: { server: 'payments' }, allow: ['lookup_order'] }],
      limits: { maxToolCalls: 5 },
      ...spec,
    },
  })
async function newAgent(...more: object[]): Promise<string> {
  const name = `agent-${newSpanId()}`
  const { agentId } = await run(createAgent, { yaml: manifest(name, '1.0.0') })
  for (const [index, spec] of more.entries()) await run(createAgent, { yaml: manifest(name, `${index + 2}.0.0`, spec) })
  return agentId
}
const proposal = (agentId: string, version = '1.0.0') => run(propose, { agentId, version, environment: 'production' })
const vote = (approvalId: string, decision = 'approve') =>
  run(decideApproval, { approvalId, decision, decisionAcknowledged: true, reason: 'Read it.' }, jonas)
/** Binds a new policy that permits everything to the agent, enforced in production. */
async function bind(agentId: string): Promise<{ policyId: string; bindingId: string }> {
  const { id: policyId } = await run(createPolicy, { name: `policy-${newSpanId()}` })
  await run(createVersion, { policyId, source: '@id("all") permit (principal, action, resource);' })
  await run(publishVersion, { policyId, version: 1 })
  const binding = await run(proposeBinding, { agentId, environment: 'production', policyId, policyVersion: 1 })
  await vote(binding.approvalId)
  return { policyId, bindingId: binding.bindingId }
}
/** The policies whose rules currently allow the agent to call its tool; none when the call is denied. */
async function decided(agentId: string): Promise<string[]> {
  const call = { agentId, environment: 'production', resource: 'payments/lookup_order', arguments: { id: 'A-1001' } }
  const { effect, reasons } = await run(evaluate, call)
  return effect === 'allow' ? reasons.map(({ policyId }) => policyId).sort() : []
}
async function release(agentId: string, version?: string): Promise<{ releaseId: string; digest: string }> {
  const made = await proposal(agentId, version)
  await vote(made.approvalId)
  return made
}
const lost = { reason: { code: 'conflict', details: { status: 'active' } } }
const statuses = async (agentId: string) =>
  Object.fromEntries((await run(list, { agentId })).items.map(({ id, status }) => [id, status]))
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

describe('transitions', () => {
  test('proposed → active activates the agent; proposed → rejected does not change it', async () => {
    const agentId = await newAgent()
    const rejected = await proposal(agentId)
    await vote(rejected.approvalId, 'reject')
    expect((await run(getAgent, { id: agentId })).status).toBe('registered')
    const { releaseId } = await release(agentId)
    expect((await run(getAgent, { id: agentId })).status).toBe('active')
    expect(await statuses(agentId)).toEqual({ [rejected.releaseId]: 'rejected', [releaseId]: 'active' })
    expect(await audited(rejected.releaseId)).toEqual(['release.proposed', 'release.rejected'])
    expect(await audited(releaseId)).toEqual(['release.proposed', 'release.activated'])
  })

  test('active → superseded by the next release; proposing an earlier version again gives the same digest', async () => {
    const agentId = await newAgent({ limits: { maxToolCalls: 6 } })
    const [one, two, again] = [await release(agentId), await release(agentId, '2.0.0'), await release(agentId)]
    expect(await statuses(agentId)).toEqual({
      [one.releaseId]: 'superseded',
      [two.releaseId]: 'superseded',
      [again.releaseId]: 'active',
    })
    expect(again.digest).toBe(one.digest)
    expect(two.digest).not.toBe(one.digest)
    expect(await audited(one.releaseId)).toEqual(['release.proposed', 'release.activated', 'release.superseded'])
    expect(await run(get, { id: again.releaseId })).toMatchObject({
      content: { tools: [{ name: 'lookup_order', digest: expect.any(String), inputSchema: { type: 'object' } }] },
    })
  })

  test('a release pins the bound policies; later changes are reported and apply to decisions', async () => {
    const agentId = await newAgent()
    const { policyId, bindingId } = await bind(agentId)
    const one = await release(agentId)
    expect(await run(get, { id: one.releaseId })).toMatchObject({
      content: { v: 2, policies: [{ policyId, version: 1, digest: expect.any(String), mode: 'enforce' }] },
      policyChanges: [],
    })
    expect(await decided(agentId)).toEqual([policyId])
    expect((await release(agentId)).digest).toBe(one.digest)

    const later = await bind(agentId)
    const { releaseId } = await proposal(agentId)
    const [active] = (await run(list, { agentId })).items.filter(({ status }) => status === 'active')
    expect(active?.digest).toBe(one.digest)
    // The release keeps its approved content; the later binding applies to decisions immediately.
    const [change] = (await run(get, { id: active?.id })).policyChanges ?? []
    expect(change).toMatchObject({ policyId: later.policyId, mode: 'enforce', released: [], now: [1] })
    expect(await decided(agentId)).toEqual([policyId, later.policyId].sort())
    expect((await run(get, { id: releaseId })).digest).not.toBe(one.digest)

    await run(revokeBinding, { id: later.bindingId, expectedRevision: 2, reason: 'Not needed.' }, operator)
    expect((await release(agentId)).digest).toBe(one.digest)
    await run(revokeBinding, { id: bindingId, expectedRevision: 2, reason: 'Not needed.' }, operator)
    expect(await decided(agentId)).toEqual([])
    expect(await run(get, { id: one.releaseId })).toMatchObject({ status: 'superseded', policyChanges: null })
  })

  test('concurrent approvals leave one release active', async () => {
    const agentId = await newAgent({ limits: { maxToolCalls: 6 } })
    const both = [await proposal(agentId), await proposal(agentId, '2.0.0')]
    await Promise.all(both.map(({ approvalId }) => vote(approvalId)))
    expect(Object.values(await statuses(agentId)).sort()).toEqual(['active', 'superseded'])
  })

  test('proposed → withdrawn once, along with its approval, with one audit record', async () => {
    const agentId = await newAgent()
    const { releaseId: id, approvalId } = await proposal(agentId)
    const input = { id, expectedRevision: 1, reason: 'Too early.' }
    const both = await Promise.allSettled([run(withdraw, input), run(withdraw, input)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await statuses(agentId)).toEqual({ [id]: 'withdrawn' })
    expect(await audited(id)).toEqual(['release.proposed', 'release.withdrawn'])
    await expect(vote(approvalId)).rejects.toMatchObject({ code: 'already_decided' })
  })

  test('of a concurrent withdrawal and approval, one succeeds and the other gets 409', async () => {
    for (let round = 0; round < 8; round++) {
      const agentId = await newAgent()
      const { releaseId: id, approvalId } = await proposal(agentId)
      const withdrawal = run(withdraw, { id, expectedRevision: 1, reason: 'Too early.' })
      const [withdrawn, approved] = await Promise.allSettled([withdrawal, vote(approvalId)])
      const state = (await statuses(agentId))[id]
      if (withdrawn.status === 'fulfilled') {
        expect([state, approved]).toMatchObject(['withdrawn', { reason: { code: 'already_decided' } }])
      } else expect([state, approved.status, withdrawn]).toMatchObject(['active', 'fulfilled', lost])
    }
  })

  test('a retired agent cannot be released again', async () => {
    const agentId = await newAgent()
    await release(agentId)
    for (const [operation, expectedRevision] of [
      [suspend, 2],
      [retire, 3],
    ] as const)
      await run(operation, { id: agentId, expectedRevision, reason: 'Replaced.' }, operator)
    await expect(proposal(agentId)).rejects.toMatchObject({ code: 'conflict', status: 409 })
  })

  test('active → revoked by an operator who knows its revision, permanently', async () => {
    const agentId = await newAgent()
    const { releaseId: id } = await release(agentId)
    const input = { id, expectedRevision: 2, reason: 'It pays twice.' }
    await expect(run(revoke, input)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(run(revoke, { ...input, expectedRevision: 1 }, operator)).rejects.toMatchObject({
      code: 'revision_conflict',
      details: { revision: 2 },
    })
    expect(await run(revoke, input, operator)).toMatchObject({ status: 'revoked', revision: 3 })
    for (const expectedRevision of [2, 3])
      await expect(run(revoke, { ...input, expectedRevision }, operator)).rejects.toMatchObject({ code: 'conflict' })
    await expect(run(withdraw, { ...input, expectedRevision: 3 })).rejects.toMatchObject({ code: 'conflict' })
    expect(await audited(id)).toEqual(['release.proposed', 'release.activated', 'release.revoked'])
    await expect(run(revoke, { ...input, id: newId() }, operator)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('versions of an agent', () => {
  test('are listed in pages, newest first', async () => {
    const agentId = await newAgent({ limits: {} }, { limits: { maxToolCalls: 9 } })
    const first = await run(versions, { id: agentId, limit: 2 })
    expect(first.items.map(({ version }) => version)).toEqual(['3.0.0', '2.0.0'])
    const second = await run(versions, { id: agentId, limit: 2, cursor: first.nextCursor })
    expect(second).toMatchObject({ items: [{ version: '1.0.0' }], nextCursor: null })
  })

  test('with a group that does not exist are not proposed; of one with too few members, reviewers read it', async () => {
    const approvals = (terms: object) => ({ governance: { approvals: terms } })
    const agentId = await newAgent(
      approvals({ group: 'refund-aprovers' }),
      approvals({ stages: [{ group: 'change-approvers' }, { group: 'refund-aprovers' }] }),
      approvals({ quorum: 3 }),
    )
    for (const version of ['2.0.0', '3.0.0'])
      await expect(proposal(agentId, version)).rejects.toMatchObject({
        code: 'not_ready',
        message:
          'The approver group refund-aprovers does not exist. Create it, or correct governance.approvals in another version.',
      })
    expect((await run(list, { agentId })).items).toEqual([])
    const effectsOf = async (version: string) => {
      const { approvalId } = await proposal(agentId, version)
      return (await run(getApproval, { approvalId }, jonas)).presentation.effects
    }
    const told = expect.stringMatching(/^A call that needs an approval .*: 3 required, 1 eligible\.$/)
    expect(await effectsOf('4.0.0')).toContainEqual(told)
    expect((await effectsOf('1.0.0')).join()).not.toContain('eligible')
  })

  test('are compared by area of governance', async () => {
    const agentId = await newAgent({
      tools: [{ mcp: { server: 'payments' }, allow: ['issue_refund'], requireApproval: ['issue_refund'] }],
      limits: { maxToolCalls: 50, timeout: 'PT1H' },
      data: { sensitive: [{ path: '$.customer.email', class: 'pii.email' }] },
      risk: { tier: 'high', dataClasses: ['personal'] },
      models: [{ name: 'gpt-5-mini' }],
    })
    const { from, to, changes } = await run(compare, { id: agentId, from: '1.0.0', to: '2.0.0' })
    expect([from.version, to.version]).toEqual(['1.0.0', '2.0.0'])
    expect(changes).toEqual([
      { area: 'tools', subject: 'payments/issue_refund', change: 'added', before: null, after: true },
      { area: 'tools', subject: 'payments/lookup_order', change: 'removed', before: true, after: null },
      { area: 'approvals', subject: 'payments/issue_refund', change: 'added', before: null, after: true },
      { area: 'models', subject: 'gpt-5-mini', change: 'added', before: null, after: true },
      { area: 'data', subject: '$.customer.email', change: 'added', before: null, after: 'pii.email' },
      { area: 'budgets', subject: 'maxToolCalls', change: 'changed', before: 5, after: 50 },
      { area: 'budgets', subject: 'timeout', change: 'added', before: null, after: 'PT1H' },
      { area: 'risk', subject: 'tier', change: 'changed', before: 'low', after: 'high' },
    ])
    expect((await run(compare, { id: agentId, from: '2.0.0', to: '2.0.0' })).changes).toEqual([])
    await expect(run(compare, { id: agentId, from: '1.0.0', to: '9' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'No agent with this id has a version 9.',
    })
  })
})
