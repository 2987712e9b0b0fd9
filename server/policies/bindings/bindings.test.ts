// Longer than other files: bindings and the decisions that follow from them, on one agent and its policies.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { create as createAgent } from '#server/agents/create.ts'
import { decide as decideApproval } from '#server/approvals/decide.ts'
import { get as getApproval } from '#server/approvals/get.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId, newSpanId } from '#server/kernel/ids.ts'
import { execute, type Mutation, type Query } from '#server/kernel/operation.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { approvalTokens, decide, hasActiveBinding } from '#server/policies/decisions/decide.ts'
import { findDecision } from '#server/policies/decisions/decision-store.ts'
import { recompute } from '#server/policies/decisions/recompute.ts'
import type { ToolCallRequest } from '#server/policies/decisions/request.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { keepToolSchemas } from '#server/policies/language/tenant-schema.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { rules } from '#server/policies/rules.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { bindingDecided } from './binding.ts'
import { listBindings } from './list.ts'
import { proposeBinding } from './propose.ts'
import { revokeBinding } from './revoke.ts'
import { withdrawBinding } from './withdraw.ts'

const permit = '@id("all") permit (principal, action in Countersign::Action::"ToolCall", resource);'
const soft =
  '@id("ask") @obligation("approval") forbid (principal, action, resource) unless { context.fulfilled.contains("approval:ask") };'
let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let pipeline: Caller
let jonas: Caller
let owner: Caller
let operator: Caller

beforeAll(async () => {
  runtime = await testRuntime()
  await runtime.queue.work([{ queue: 'approval-expiry', concurrency: 1, run: () => Promise.resolve() }])
  onDecided('policy_binding', bindingDecided)
  tenant = await testTenant(runtime)
  owner = await tenant.as('maria', { roles: ['developer', 'approver'], groups: ['change-approvers'] })
  operator = await tenant.as('oleg', { roles: ['operator'] })
  jonas = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
  pipeline = await tenant.as('ci-pipeline', {
    roles: ['developer'],
    kind: 'service_account',
    createdBy: owner.principal.memberId,
  })
})
afterAll(async () => {
  await closeEngine()
  await runtime.close()
})

const run = <I, O>(operation: Query<I, O> | Mutation<I, O>, input: unknown, caller = pipeline): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })

const newAgent = async () => (await run(createAgent, { yaml: `name: agent-${newSpanId()}` })).agent
/** A policy whose published versions 1, 2, … have these sources. */
async function newPolicy(...sources: string[]): Promise<string> {
  const { id: policyId } = await run(createPolicy, { name: `policy-${newSpanId()}` })
  for (const source of sources) {
    const { version } = await run(createVersion, { policyId, source })
    await run(publishVersion, { policyId, version })
  }
  return policyId
}
type Proposal = { agentId: string; policyId: string; policyVersion?: number; mode?: string }
const propose = (proposal: Proposal) =>
  run(proposeBinding, { environment: 'production', policyVersion: 1, ...proposal })
const vote = (approvalId: string, decision: 'approve' | 'reject', caller = jonas) =>
  run(decideApproval, { approvalId, decision, decisionAcknowledged: true, reason: 'Read it.' }, caller)
async function bind(proposal: Proposal): Promise<string> {
  const { bindingId, approvalId } = await propose(proposal)
  await vote(approvalId, 'approve')
  return bindingId
}
const states = async (agentId: string) =>
  Object.fromEntries((await run(listBindings, { agentId })).items.map(({ id, status }) => [id, status]))
const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => runtime.database.inTenant(tenant.id, work)
const audited = async (id: string) =>
  (
    await inTenant((tx) =>
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

describe('bindings', () => {
  test('a proposal becomes active once it is approved', async () => {
    const { id: agentId } = await newAgent()
    const { bindingId, approvalId, status } = await propose({ agentId, policyId: await newPolicy(permit) })
    expect(status).toBe('proposed')
    expect(await inTenant((tx) => hasActiveBinding(tx, tenant.id, { id: agentId, version: '1' }, 'production'))).toBe(
      false,
    )
    await vote(approvalId, 'approve')
    expect((await run(listBindings, { agentId })).items).toMatchObject([
      { id: bindingId, status: 'active', mode: 'enforce', approvalId, revision: 2, decidedAt: expect.any(String) },
    ])
    expect(await inTenant((tx) => hasActiveBinding(tx, tenant.id, { id: agentId, version: '1' }, 'production'))).toBe(
      true,
    )
    expect(await inTenant((tx) => hasActiveBinding(tx, tenant.id, { id: agentId, version: '1' }, 'staging'))).toBe(
      false,
    )
    expect(await audited(bindingId)).toEqual(['policy_binding.proposed', 'policy_binding.activated'])
  })

  test('the proposer cannot approve their own proposal', async () => {
    const { id: agentId } = await newAgent()
    const { approvalId } = await propose({ agentId, policyId: await newPolicy(permit) })
    await expect(vote(approvalId, 'approve', owner)).rejects.toMatchObject({ code: 'separation_of_duties' })
  })

  test('a rejected proposal leaves nothing active', async () => {
    const { id: agentId } = await newAgent()
    const { bindingId, approvalId } = await propose({ agentId, policyId: await newPolicy(permit) })
    await vote(approvalId, 'reject')
    expect(await states(agentId)).toEqual({ [bindingId]: 'rejected' })
    expect(await audited(bindingId)).toEqual(['policy_binding.proposed', 'policy_binding.rejected'])
  })

  test('a new version supersedes the previous version but not other policies', async () => {
    const { id: agentId } = await newAgent()
    const policyId = await newPolicy(permit, `// 2\n${permit}`)
    const first = await bind({ agentId, policyId })
    const other = await bind({ agentId, policyId: await newPolicy(permit) })
    const second = await bind({ agentId, policyId, policyVersion: 2 })
    expect(await states(agentId)).toEqual({ [first]: 'superseded', [other]: 'active', [second]: 'active' })
    expect(await audited(first)).toContain('policy_binding.superseded')
  })

  test('concurrent approvals for the same target leave one binding active', async () => {
    const { id: agentId } = await newAgent()
    const policyId = await newPolicy(permit, `// 2\n${permit}`)
    const proposals = [await propose({ agentId, policyId }), await propose({ agentId, policyId, policyVersion: 2 })]
    await Promise.all(proposals.map(({ approvalId }) => vote(approvalId, 'approve')))
    expect(Object.values(await states(agentId)).sort()).toEqual(['active', 'superseded'])
  })

  test('a decision on a binding that is no longer proposed changes nothing', async () => {
    const { id: agentId } = await newAgent()
    const bindingId = await bind({ agentId, policyId: await newPolicy(permit) })
    for (const status of ['approved', 'rejected', 'canceled'] as const)
      await inTenant((tx) => bindingDecided(tx, tenant, { id: newId(), subjectId: bindingId, status, deciders: [] }))
    expect(await states(agentId)).toEqual({ [bindingId]: 'active' })
  })

  test('a proposal and its approval are withdrawn once, with one audit record', async () => {
    const { id: agentId } = await newAgent()
    const { bindingId, approvalId } = await propose({ agentId, policyId: await newPolicy(permit) })
    const input = { id: bindingId, expectedRevision: 1, reason: 'Too early.' }
    const both = await Promise.allSettled([run(withdrawBinding, input), run(withdrawBinding, input)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await states(agentId)).toEqual({ [bindingId]: 'withdrawn' })
    expect(await audited(bindingId)).toEqual(['policy_binding.proposed', 'policy_binding.withdrawn'])
    await expect(vote(approvalId, 'approve')).rejects.toMatchObject({ code: 'already_decided' })
    await expect(run(revokeBinding, { ...input, expectedRevision: 2 }, operator)).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  test('of a concurrent withdrawal and approval, one succeeds and the other gets 409', async () => {
    const policyId = await newPolicy(permit)
    for (let round = 0; round < 8; round++) {
      const { id: agentId } = await newAgent()
      const { bindingId, approvalId } = await propose({ agentId, policyId })
      const withdrawal = run(withdrawBinding, { id: bindingId, expectedRevision: 1, reason: 'Too early.' })
      const [withdrawn, approved] = await Promise.allSettled([withdrawal, vote(approvalId, 'approve')])
      const state = (await states(agentId))[bindingId]
      if (withdrawn.status === 'fulfilled') {
        expect([state, approved]).toMatchObject(['withdrawn', { reason: { code: 'already_decided' } }])
      } else {
        const lost = { reason: { code: 'conflict', details: { status: 'active' } } }
        expect([state, approved.status, withdrawn]).toMatchObject(['active', 'fulfilled', lost])
      }
    }
  })

  test('an operator who knows its revision revokes an active binding, effective from the next decision', async () => {
    const { id: agentId } = await newAgent()
    const bindingId = await bind({ agentId, policyId: await newPolicy(permit) })
    const input = { id: bindingId, expectedRevision: 2, reason: 'Wrong policy.' }
    await expect(run(revokeBinding, input)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(run(revokeBinding, { ...input, expectedRevision: 1 }, operator)).rejects.toMatchObject({
      code: 'revision_conflict',
      details: { revision: 2 },
    })
    expect(await run(revokeBinding, input, operator)).toMatchObject({ status: 'revoked', revision: 3 })
    await expect(run(revokeBinding, { ...input, expectedRevision: 3 }, operator)).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(run(withdrawBinding, { ...input, expectedRevision: 3 })).rejects.toMatchObject({ code: 'conflict' })
    expect(await inTenant((tx) => hasActiveBinding(tx, tenant.id, { id: agentId, version: '1' }, 'production'))).toBe(
      false,
    )
    expect(await audited(bindingId)).toEqual([
      'policy_binding.proposed',
      'policy_binding.activated',
      'policy_binding.revoked',
    ])
  })

  test('drafts, duplicates and unknown agents or versions are rejected', async () => {
    const { id: agentId } = await newAgent()
    const policyId = await newPolicy(permit)
    await run(createVersion, { policyId, source: permit })
    await expect(propose({ agentId, policyId, policyVersion: 2 })).rejects.toMatchObject({ code: 'not_ready' })
    await expect(propose({ agentId, policyId, policyVersion: 3 })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/ does not have a version 3\.$/),
    })
    const unknown = { code: 'not_found', message: 'No agent has this id.' }
    await expect(propose({ agentId: newId(), policyId })).rejects.toMatchObject(unknown)
    await expect(propose({ agentId, policyId: newId() })).rejects.toMatchObject({ message: 'No policy has this id.' })
    await bind({ agentId, policyId })
    await expect(propose({ agentId, policyId })).rejects.toMatchObject({ code: 'conflict' })
    const stranger = await (await testTenant(runtime)).as('x', { roles: ['developer'] })
    const input = { agentId, policyId, policyVersion: 1, environment: 'production' }
    await expect(run(proposeBinding, input, stranger)).rejects.toMatchObject(unknown)
  })
})

const describedTool = {
  digest: `sha256:${'d'.repeat(64)}`,
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
}

describe('the decision point', () => {
  const requestFor = (agent: { id: string; name: string }): ToolCallRequest => ({
    agent: {
      id: agent.id,
      name: agent.name,
      version: '1',
      lifecycle: 'released',
      riskTier: null,
      allowedTools: ['s/t'],
      requireApproval: [],
      approvals: { group: 'owners', quorum: 1, expiresAfterSeconds: 60 },
    },
    releaseId: newId(),
    releaseDigest: `sha256:${'0'.repeat(64)}`,
    environment: 'production',
    tool: {
      server: 's',
      name: 't',
      sideEffect: 'write',
      idempotent: false,
      ...describedTool,
    },
    arguments: { to: 'a' },
    executionId: newId(),
    stepId: 'one',
    toolCalls: 0,
    fulfilled: [],
  })
  const ask = (request: ToolCallRequest) => inTenant((tx) => decide(tx, tenant, request))
  const recorded = (id: string) =>
    inTenant(async (tx) => {
      const row = await findDecision(tx, tenant.id, id)
      if (row === undefined) throw new Error('The decision was not recorded.')
      return row
    })

  test('denies every call without an active, enforced binding', async () => {
    const agent = await newAgent()
    const unbound = { effect: 'deny', reasons: [{ code: 'policy_binding_required' }] }
    expect(await ask(requestFor(agent))).toMatchObject(unbound)
    await bind({ agentId: agent.id, policyId: await newPolicy(permit), mode: 'shadow' })
    expect(await ask(requestFor(agent))).toMatchObject(unbound)
    expect(await ask({ ...requestFor(agent), environment: 'staging' })).toMatchObject(unbound)
  })

  test('records each decision so that it can be recomputed', async () => {
    const agent = await newAgent()
    const policyId = await newPolicy(`${permit}\n${soft}`)
    await bind({ agentId: agent.id, policyId })
    const base = requestFor(agent)
    const request = { ...base, agent: { ...base.agent, requireApproval: ['s/t'] } }
    const decision = await ask(request)
    expect(decision).toMatchObject({
      effect: 'require_approval',
      approval: { rules: [{ rule: 'ask' }, { rule: 'manifest.s/t' }] },
      policies: [
        { policyId, version: 1 },
        { policyId: 'manifest', version: 0 },
      ],
    })
    const row = await recorded(decision.decisionId)
    expect(row).toMatchObject({
      agentId: agent.id,
      resource: 's/t',
      effect: 'require_approval',
      reasons: decision.reasons,
      inputDigest: decision.inputDigest,
    })
    const again = await run(recompute, { decisionId: decision.decisionId })
    expect(again).toMatchObject({ same: true, computed: { effect: 'require_approval', reasons: row.reasons } })
    expect(again.computed).toEqual(again.recorded)
  })

  test('recomputes a decision based on typed arguments, byte for byte', async () => {
    await inTenant((tx) => keepToolSchemas(tx, tenant.id, [{ server: 's', name: 't', ...describedTool }]))
    const agent = await newAgent()
    const same =
      '@id("to") forbid (principal, action in Countersign::Action::"ToolCall", resource) when { context.arguments has to && context.arguments.to == "b" };'
    await bind({ agentId: agent.id, policyId: await newPolicy(`${permit}\n${same}`) })
    for (const [to, effect] of Object.entries({ a: 'allow', b: 'deny' })) {
      const { decisionId, ...decision } = await ask({ ...requestFor(agent), arguments: { to } })
      expect(decision.effect).toBe(effect)
      expect(await run(recompute, { decisionId })).toMatchObject({ same: true, computed: { effect } })
    }
  })

  test('records the outcome of shadow bindings without changing the decision', async () => {
    const agent = await newAgent()
    const freeze = '@id("freeze") @code("FREEZE") forbid (principal, action, resource);'
    const policyId = await newPolicy(permit, `${permit}\n${freeze}`)
    await bind({ agentId: agent.id, policyId })
    await bind({ agentId: agent.id, policyId, policyVersion: 2, mode: 'shadow' })
    const { decisionId, effect, reasons } = await ask(requestFor(agent))
    expect([effect, reasons[0]?.rule]).toEqual(['allow', 'all'])
    expect((await recorded(decisionId)).shadow).toMatchObject({
      effect: 'deny',
      reasons: [{ rule: 'freeze', policyVersion: 2 }],
      policies: [{ policyId, version: 2 }],
    })
    // A shadow version superseded nothing; an enforced version supersedes both bindings.
    expect(Object.values(await states(agent.id))).toEqual(['active', 'active'])
    await bind({ agentId: agent.id, policyId, policyVersion: 2 })
    expect(Object.values(await states(agent.id)).sort()).toEqual(['active', 'superseded', 'superseded'])
    const later = await ask(requestFor(agent))
    expect(later.effect).toBe('deny')
    expect((await recorded(later.decisionId)).shadow).toBeNull()
  })

  test('a changed binding applies from the next decision', async () => {
    const agent = await newAgent()
    await bind({ agentId: agent.id, policyId: await newPolicy(permit) })
    expect((await ask(requestFor(agent))).effect).toBe('allow')
    await bind({ agentId: agent.id, policyId: await newPolicy('@id("stop") forbid (principal, action, resource);') })
    expect((await ask(requestFor(agent))).effect).toBe('deny')
    const { items } = await run(listBindings, { agentId: agent.id, status: 'active' })
    const id = items[0]?.id ?? ''
    await inTenant((tx) => tx.updateTable('policyBindings').set({ status: 'revoked' }).where('id', '=', id).execute())
    expect((await ask(requestFor(agent))).effect).toBe('allow')
  })

  test('a binding by labels applies only to agents that have all of the labels', async () => {
    const labels = { team: `team-${newSpanId()}`, zone: 'eu' }
    const labelled = async (own: object) =>
      (await run(createAgent, { yaml: JSON.stringify({ metadata: { name: `agent-${newSpanId()}`, labels: own } }) }))
        .agent
    const [carrier, other] = [await labelled({ ...labels, more: 'x' }), await labelled({ team: labels.team })]
    const policyId = await newPolicy(permit)
    const input = { selector: labels, environment: 'production', policyId, policyVersion: 1 }
    const { bindingId, approvalId } = await run(proposeBinding, input)
    expect(await run(getApproval, { approvalId }, jonas)).toMatchObject({
      presentation: { agent: null, effects: expect.arrayContaining([expect.stringContaining(carrier.name)]) },
    })
    await vote(approvalId, 'approve')
    expect((await ask(requestFor(carrier))).effect).toBe('allow')
    expect((await ask(requestFor(other))).effect).toBe('deny')
    expect((await run(listBindings, { policyId })).items).toMatchObject([
      { id: bindingId, agentId: null, agentName: null, selector: labels },
    ])
    expect(
      await inTenant((tx) => hasActiveBinding(tx, tenant.id, { id: carrier.id, version: '1' }, 'production')),
    ).toBe(true)
    // Neither agent is released, and the labels of the released version count.
    expect((await run(rules, { policyId, version: 1 })).reach).toEqual([])
    await expect(run(proposeBinding, { ...input, agentId: carrier.id })).rejects.toMatchObject({ status: 400 })
    await expect(run(proposeBinding, { ...input, selector: {} })).rejects.toMatchObject({ status: 400 })
    await expect(run(proposeBinding, input)).rejects.toMatchObject({ code: 'conflict' })
  })

  test('rules bound to one agent are never evaluated for another', async () => {
    const [one, two] = [await newAgent(), await newAgent()]
    await bind({ agentId: one.id, policyId: await newPolicy(permit) })
    await bind({ agentId: two.id, policyId: await newPolicy('@id("no") forbid (principal, action, resource);') })
    const effects = await Promise.all([one, two, one, two].map(async (agent) => (await ask(requestFor(agent))).effect))
    expect(effects).toEqual(['allow', 'deny', 'allow', 'deny'])
  })

  test('an approval fulfils the tokens of its recorded decision', async () => {
    const agent = await newAgent()
    await bind({ agentId: agent.id, policyId: await newPolicy(`${permit}\n${soft}`) })
    const request = requestFor(agent)
    const { decisionId, approval } = await ask(request)
    const fulfilled = await inTenant((tx) => approvalTokens(tx, tenant.id, decisionId))
    expect(fulfilled).toEqual(approval?.tokens)
    const allowed = await ask({ ...request, fulfilled })
    expect(allowed.effect).toBe('allow')
    expect(await inTenant((tx) => approvalTokens(tx, tenant.id, allowed.decisionId))).toEqual(fulfilled)
  })

  test('different arguments give a different input digest', async () => {
    const agent = await newAgent()
    const digests = await Promise.all(
      ['a', 'b'].map(async (to) => (await ask({ ...requestFor(agent), arguments: { to } })).inputDigest),
    )
    expect(new Set(digests).size).toBe(2)
  })

  test('denies arguments without a canonical form, and records the denial', async () => {
    const agent = await newAgent()
    await bind({ agentId: agent.id, policyId: await newPolicy(permit) })
    const decision = await ask({ ...requestFor(agent), arguments: { amount: 2 ** 60 } })
    expect(decision).toMatchObject({ effect: 'deny', reasons: [{ code: 'request_invalid' }] })
    expect((await recorded(decision.decisionId)).request).not.toHaveProperty('arguments')
  })

  test('a recorded decision cannot be updated or deleted', async () => {
    const { decisionId: id } = await ask(requestFor(await newAgent()))
    const denied = /permission denied/
    await expect(inTenant((tx) => tx.deleteFrom('policyDecisions').where('id', '=', id).execute())).rejects.toThrow(
      denied,
    )
    await expect(
      inTenant((tx) => tx.updateTable('policyDecisions').set({ effect: 'allow' }).where('id', '=', id).execute()),
    ).rejects.toThrow(denied)
  })

  test('another tenant’s bindings have no effect', async () => {
    const agent = await newAgent()
    await bind({ agentId: agent.id, policyId: await newPolicy(permit) })
    const other = await testTenant(runtime)
    expect(await runtime.database.inTenant(other.id, (tx) => decide(tx, other, requestFor(agent)))).toMatchObject({
      effect: 'deny',
      reasons: [{ code: 'policy_binding_required' }],
    })
  })
})

describe('a version whose rules name approver groups', () => {
  const ask = (terms: string) =>
    `${permit}\n${soft.replace('@obligation("approval")', `@obligation("approval") ${terms}`)}`
  const effectsOf = async (proposal: Proposal) => {
    const { approvalId } = await propose(proposal)
    return (await run(getApproval, { approvalId }, jonas)).presentation.effects
  }

  test('is not enforced if one does not exist, and can run in shadow', async () => {
    const { id: agentId } = await newAgent()
    const policyId = await newPolicy(ask('@approval_stages("change-approvers, refund-aprovers")'))
    await expect(propose({ agentId, policyId, mode: 'enforce' })).rejects.toMatchObject({
      code: 'not_ready',
      message:
        'The approver group refund-aprovers does not exist. Create it, or correct the rule that names it in another version.',
    })
    expect((await effectsOf({ agentId, policyId, mode: 'shadow' })).join()).not.toContain('does not exist')
  })

  test('tells reviewers of one with too few members who are not behind the agent', async () => {
    const { id: agentId } = await newAgent()
    const policyId = await newPolicy(
      ask('@approval_group("change-approvers")'),
      ask('@approval_group("change-approvers") @approval_quorum("2")'),
    )
    const few =
      'as it did when this was proposed: Not enough eligible members in Change approvers: 2 required, 1 eligible.'
    expect((await effectsOf({ agentId, policyId, mode: 'enforce' })).join()).not.toContain('eligible')
    expect((await effectsOf({ agentId, policyId, policyVersion: 2, mode: 'enforce' })).join()).toContain(few)
  })
})
