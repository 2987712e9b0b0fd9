import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rolePermissions } from '#lib/permissions.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { sized } from '#server/testing/properties/counts.ts'
import { approve, bindingFor, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// Calls like an approved one run without a person: over HTTP, with a real tool server.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(() => api.close())

type Proposal = { approvalId: string }
type Execution = {
  status: string
  error: { code: string } | null
  steps: { id: string; approvalId: string | null }[]
}
type Grant = { id: string; status: string; lapse: string | null; uses: number; spent: { total: string } | null }

const mutate = async (username: string, name: string, input: object) =>
  api.mutate(await api.person(username), name, input)
const query = async <Data>(username: string, name: string, input: object) =>
  payload<Data>(await api.query(await api.person(username), name, input))

let agents = 0
/** A released refund agent of low risk, or of `tier`, with `rules` added to its policy. */
async function lowRiskAgent({ tier = 'low', rules = '' } = {}): Promise<{ agentId: string; name: string }> {
  agents += 1
  const name = `refund-standing-${agents}`
  const change = (manifest: string) =>
    manifest.replace('risk: { tier: high,', tier === '' ? 'risk: {' : `risk: { tier: ${tier},`)
  return { agentId: await releaseRefundAgent(api, name, { change, rules }), name }
}

async function start(agentId: string, orderId = 'A-1001'): Promise<string> {
  const input = { agentId, environment: 'production', input: { orderId } }
  return payload<{ executionId: string }>(await mutate('maria', 'executions.execute', input)).executionId
}
const execution = (id: string) => query<Execution>('maria', 'executions.get', { id })
const settled = (id: string) =>
  until(async () => {
    const { status } = await execution(id)
    return ['queued', 'running'].includes(status) ? undefined : status
  }, `${id} waits or ends`)
const approvalOf = async (id: string) =>
  (await execution(id)).steps.find((step) => step.id === 'refund')?.approvalId ?? ''

/** An approved refund of the order, and its approval. */
async function approvedRefund(agentId: string, orderId = 'A-1001'): Promise<string> {
  const id = await start(agentId, orderId)
  expect(await settled(id)).toBe('waiting_approval')
  const approvalId = await approvalOf(id)
  await approve(api, approvalId)
  expect(await until(async () => ((await execution(id)).status === 'succeeded' ? 'succeeded' : undefined), id)).toBe(
    'succeeded',
  )
  return approvalId
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const terms = (more: object = {}) => ({
  like: [{ argument: 'id', pattern: 'A-*' }],
  ceiling: { argument: 'amount', perCall: '5000', total: '20000' },
  uses: 5,
  until: inDays(30),
  ...more,
})
const propose = (approvalId: string, more: object = {}, username = 'anna') =>
  mutate(username, 'approvals.proposeGrant', { approvalId, terms: terms(more), reason: 'The same each week.' })

/** An active grant, proposed by anna and approved by jonas. */
async function activeGrant(agentId: string, more: object = {}): Promise<string> {
  const source = await approvedRefund(agentId)
  const { grantId, approvalId } = payload<Proposal & { grantId: string }>(await propose(source, more))
  await approve(api, approvalId)
  return grantId
}
async function grant(id: string, agentId: string, username = 'anna'): Promise<Grant> {
  const { items } = await query<{ items: Grant[] }>(username, 'approvals.listGrants', { agentId })
  const found = items.find((one) => one.id === id)
  if (found === undefined) throw new Error('The grant is not listed.')
  return found
}

describe('a call that a grant covers', () => {
  test('runs without a person, and each use is recorded, listed and counted', async () => {
    const { agentId } = await lowRiskAgent()
    const grantId = await activeGrant(agentId)
    expect(await grant(grantId, agentId)).toMatchObject({
      status: 'active',
      uses: 0,
      spent: { total: '0', max: '20000' },
      // Conditions are of another form than values, so that none reads like the other.
      arguments: [
        { path: 'id', value: { $condition: 'like', pattern: 'A-*' } },
        { path: 'amount', value: { $condition: 'at most', amount: '€5,000.00' } },
        { path: 'currency', value: 'EUR' },
      ],
    })
    const id = await start(agentId)
    expect(await settled(id)).toBe('succeeded')
    expect(await approvalOf(id)).toBe('')
    expect(await grant(grantId, agentId)).toMatchObject({ uses: 1, spent: { total: '4200' } })
    const { items } = await query<{ items: object[] }>('vera', 'approvals.listGrantUses', { grantId })
    expect(items).toMatchObject([{ number: 1, executionId: id, amount: '4200' }])
    const events = await query<{ items: { type: string }[] }>('maria', 'executions.getEvents', { id })
    expect(events.items.map(({ type }) => type)).toContain('standing_grant.used')
    const used = await query<{ items: { type: string }[] }>('vera', 'audit.list', { resourceId: grantId })
    expect(used.items.map(({ type }) => type).sort()).toEqual([
      'standing_grant.activated',
      'standing_grant.proposed',
      'standing_grant.used',
    ])
  })

  test('is one with the same arguments or those that the terms name, and nothing more', async () => {
    const { agentId } = await lowRiskAgent()
    await activeGrant(agentId, { like: [], ceiling: { argument: 'amount', perCall: '4200', total: '20000' } })
    expect(await settled(await start(agentId, 'A-1001'))).toBe('succeeded')
    // Another order.
    expect(await settled(await start(agentId, 'A-1002'))).toBe('waiting_approval')
  })

  test('stops at the number of uses and at the total', async () => {
    const { agentId } = await lowRiskAgent()
    const grantId = await activeGrant(agentId, { uses: 1 })
    expect(await settled(await start(agentId))).toBe('succeeded')
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'used_up', uses: 1 })
    expect(await settled(await start(agentId))).toBe('waiting_approval')
    const other = await lowRiskAgent()
    const total = { argument: 'amount', perCall: '5000', total: '8000' }
    const limited = await activeGrant(other.agentId, { ceiling: total })
    expect(await settled(await start(other.agentId))).toBe('succeeded')
    expect(await settled(await start(other.agentId))).toBe('waiting_approval')
    expect(await grant(limited, other.agentId)).toMatchObject({ status: 'active', uses: 1, spent: { total: '4200' } })
  })

  test('of calls at the same moment, only as many run as uses are left', async () => {
    const { agentId } = await lowRiskAgent()
    const uses = sized(20, 3)
    const grantId = await activeGrant(agentId, {
      uses,
      ceiling: { argument: 'amount', perCall: '5000', total: '200000' },
    })
    const ids = await Promise.all(Array.from({ length: uses + 3 }, () => start(agentId)))
    const statuses = await Promise.all(ids.map(settled))
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(uses)
    expect(statuses.filter((status) => status === 'waiting_approval')).toHaveLength(3)
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'used_up', uses })
  })

  test('of an agent elsewhere is allowed by policies.evaluate', async () => {
    const { agentId } = await lowRiskAgent()
    const grantId = await activeGrant(agentId)
    const call = {
      agentId,
      environment: 'production',
      action: 'ToolCall',
      resource: 'payments/issue_refund',
      arguments: { id: 'A-1002', amount: '10.00', currency: 'EUR' },
      context: { toolCalls: 1 },
    }
    const ci = await api.client('ci-pipeline')
    expect(payload(await api.mutate(ci, 'policies.evaluate', call))).toMatchObject({
      effect: 'allow',
      standingGrantId: grantId,
      arguments: call.arguments,
    })
    for (const other of [
      { ...call.arguments, currency: 'USD' },
      { ...call.arguments, amount: '5000.01' },
      // Without an amount, its ceilings could not be kept.
      { id: 'A-1002', currency: 'EUR' },
      { id: 'A-1002', amount: '10.00' },
    ])
      expect(payload(await api.mutate(ci, 'policies.evaluate', { ...call, arguments: other }))).toMatchObject({
        effect: 'require_approval',
      })
    expect(await grant(grantId, agentId)).toMatchObject({ uses: 1, spent: { total: '10' } })
  })
})

describe('what a policy forbids stays forbidden', () => {
  /** The approved call from which the grant is proposed uses up the first of two. */
  const budget = `
@id("two-refunds")
@obligation("budget")
@budget_limit("2")
@budget_unit("calls")
forbid (
  principal,
  action in Countersign::Action::"ToolCall",
  resource == Countersign::Tool::"payments/issue_refund"
)
unless { context.fulfilled.contains("budget:two-refunds") };
`
  const call = (agentId: string, id: string, amount: string) => ({
    agentId,
    environment: 'production',
    resource: 'payments/issue_refund',
    arguments: { id, amount, currency: 'EUR' },
  })

  test('although a grant covers the call, which does not use the grant', async () => {
    const { agentId } = await lowRiskAgent({ rules: budget })
    const ceiling = { argument: 'amount', perCall: '20000', total: '90000' }
    const grantId = await activeGrant(agentId, { ceiling })
    const ci = await api.client('ci-pipeline')
    const evaluate = async (amount: string) =>
      payload<object>(await api.mutate(ci, 'policies.evaluate', call(agentId, 'A-1001', amount)))
    const denied = (code: string) => ({
      effect: 'deny',
      reasons: expect.arrayContaining([expect.objectContaining({ code })]),
    })
    // The demo's ceiling of 10,000 forbids it before an approval is considered.
    expect(await evaluate('12000.00')).toMatchObject(denied('REFUND_CEILING'))
    expect(await grant(grantId, agentId)).toMatchObject({ uses: 0, spent: { total: '0' } })
    expect(await evaluate('10.00')).toMatchObject({ effect: 'allow', standingGrantId: grantId })
    // The budget forbids it after the grant was found.
    expect(await evaluate('10.00')).toMatchObject(denied('budget_exhausted'))
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'active', uses: 1, spent: { total: '10' } })
    const execution = await start(agentId)
    expect(await settled(execution)).toBe('denied')
    expect(await approvalOf(execution)).toBe('')
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'active', uses: 1, spent: { total: '10' } })
  })
})

describe('a proposal', () => {
  test('shows what it would have meant, and is decided by a second person alone', async () => {
    const { agentId } = await lowRiskAgent()
    const source = await approvedRefund(agentId)
    const rejected = await start(agentId)
    await settled(rejected)
    payload(
      await mutate('jonas', 'approvals.decide', {
        approvalId: await approvalOf(rejected),
        decision: 'reject',
        decisionAcknowledged: true,
        reason: 'Twice.',
      }),
    )
    const preview = await query<object>('anna', 'approvals.previewGrant', {
      approvalId: source,
      terms: terms({ uses: 1000, ceiling: { argument: 'amount', perCall: '5000', total: '900000000' } }),
    })
    expect(preview).toMatchObject({
      blocked: null,
      arguments: [
        { argument: 'id', masked: false, text: true },
        { argument: 'amount', masked: false },
        { argument: 'currency', masked: false, text: true },
      ],
      amount: { argument: 'amount', value: '4200', currency: 'EUR' },
    })
    const { simulation } = preview as { simulation: { approved: number; rejected: number; refused: object[] } }
    expect(simulation.rejected).toBeGreaterThanOrEqual(1)
    expect(simulation.refused.length).toBeGreaterThanOrEqual(1)
    const { approvalId } = payload<Proposal>(await propose(source))
    expect(reason(await propose(source))).toBe('conflict')
    const decide = (username: string, decision = 'approve') =>
      mutate(username, 'approvals.decide', {
        approvalId,
        decision,
        decisionAcknowledged: true,
        reason: 'Read and found right.',
      })
    // Its proposer, and the person who asked for the call.
    expect(reason(await decide('anna'))).toBe('separation_of_duties')
    expect(reason(await decide('maria'))).toBe('separation_of_duties')
    expect(reason(await decide('jonas', 'escalate'))).toBe('conflict')
    expect(payload(await decide('jonas'))).toMatchObject({ status: 'approved' })
  })

  test('is refused for a call that was not approved, of high or unstated risk, or by those behind it', async () => {
    const { agentId } = await lowRiskAgent()
    const id = await start(agentId)
    await settled(id)
    expect(reason(await propose(await approvalOf(id)))).toBe('not_eligible')
    await approve(api, await approvalOf(id))
    expect(reason(await propose(await approvalOf(id), {}, 'maria'))).toBe('not_eligible')
    for (const tier of ['high', '']) {
      const risky = await lowRiskAgent({ tier })
      const approvalId = await approvedRefund(risky.agentId)
      expect(reason(await propose(approvalId))).toBe('not_eligible')
    }
  })

  test.each([
    ['no ceiling for its amount', { ceiling: undefined }],
    ['a pattern that the request does not meet', { like: [{ argument: 'id', pattern: 'B-*' }] }],
    ['a pattern for everything', { like: [{ argument: 'id', pattern: '**' }] }],
    ['an argument that it does not have', { any: ['note'] }],
    ['any currency', { any: ['currency'] }],
    ['two rules for one argument', { any: ['id'] }],
    ['a ceiling below the request', { ceiling: { argument: 'amount', perCall: '1', total: '10' } }],
    ['a total below one call', { ceiling: { argument: 'amount', perCall: '5000', total: '10' } }],
    ['too many uses', { uses: 1001 }],
    ['more than 90 days', { until: inDays(91) }],
    ['an end that is over', { until: inDays(-1) }],
  ])('with %s is refused', async (_name, more) => {
    shared ??= approvedRefund((await lowRiskAgent()).agentId)
    const refused = await propose(await shared, more)
    expect(refused.status, refused.text).toBe(400)
  })
  let shared: Promise<string> | undefined

  test('is refused for a call whose arguments were erased, with that reason', async () => {
    const { agentId } = await lowRiskAgent()
    const source = await approvedRefund(agentId, 'A-1003')
    const { erasureId } = payload<{ erasureId: string }>(
      await mutate('pia', 'erasures.create', { subject: 'A-1003', reason: 'Request 9.' }),
    )
    await until(async () => {
      const { items } = await query<{ items: { id: string; status: string }[] }>('pia', 'erasures.list', {})
      return items.find(({ id }) => id === erasureId)?.status === 'completed' || undefined
    }, 'the erasure has ended')
    const blocked = 'The arguments of this call were erased or deleted by age, so nothing can be compared with them.'
    expect(await query('anna', 'approvals.previewGrant', { approvalId: source })).toMatchObject({ blocked })
    expect((await propose(source)).text).toContain(blocked)
  })

  test('can be withdrawn by its proposer, and an active grant be revoked at once by another reviewer', async () => {
    const { agentId } = await lowRiskAgent()
    const source = await approvedRefund(agentId)
    const first = payload<Proposal & { grantId: string }>(await propose(source))
    const end = (username: string, grantId: string) =>
      mutate(username, 'approvals.revokeGrant', { grantId, reason: 'Not any more.' })
    expect(reason(await end('jonas', first.grantId))).toBe('not_eligible')
    expect(payload(await end('anna', first.grantId))).toMatchObject({ status: 'withdrawn' })
    expect(reason(await end('anna', first.grantId))).toBe('conflict')
    const { status } = await query<{ status: string }>('anna', 'approvals.get', { approvalId: first.approvalId })
    expect(status).toBe('canceled')
    const second = payload<Proposal & { grantId: string }>(await propose(source))
    await approve(api, second.approvalId)
    expect(payload(await end('maria', second.grantId))).toMatchObject({ status: 'revoked' })
    expect(await settled(await start(agentId))).toBe('waiting_approval')
  })

  test('is not revoked by a withdrawal that a colleague’s approval preceded', async () => {
    const { agentId } = await lowRiskAgent()
    const { grantId, approvalId } = payload<Proposal & { grantId: string }>(
      await propose(await approvedRefund(agentId)),
    )
    const end = (expectedStatus: string) =>
      mutate('anna', 'approvals.revokeGrant', { grantId, reason: 'Not any more.', expectedStatus })
    const early = await end('active')
    expect([reason(early), early.text]).toEqual([
      'conflict',
      expect.stringContaining('The standing grant is proposed.'),
    ])
    await approve(api, approvalId)
    const late = await end('proposed')
    expect([reason(late), late.text]).toEqual(['conflict', expect.stringContaining('The standing grant is active.')])
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'active' })
    expect(payload(await end('active'))).toMatchObject({ status: 'revoked' })
    const ended = await end('active')
    expect([reason(ended), ended.text]).toEqual(['conflict', expect.stringContaining('The standing grant is revoked.')])
  })
})

describe('a grant ends for good', () => {
  test('with the suspension of its agent', async () => {
    const { agentId } = await lowRiskAgent()
    const grantId = await activeGrant(agentId)
    const { revision } = await query<{ revision: number }>('omar', 'agents.get', { id: agentId })
    payload(await mutate('omar', 'agents.suspend', { id: agentId, reason: 'A look.', expectedRevision: revision }))
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'lapsed', lapse: 'agent' })
    payload(await mutate('omar', 'agents.resume', { id: agentId, reason: 'Fine.', expectedRevision: revision + 1 }))
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'lapsed' })
    expect(await settled(await start(agentId))).toBe('waiting_approval')
  })

  test('with its release', async () => {
    const { agentId } = await lowRiskAgent()
    const grantId = await activeGrant(agentId)
    const { items } = await query<{ items: { id: string; revision: number; status: string }[] }>(
      'omar',
      'releases.list',
      { agentId },
    )
    const active = items.find(({ status }) => status === 'active')
    payload(
      await mutate('omar', 'releases.revoke', { id: active?.id, reason: 'Old.', expectedRevision: active?.revision }),
    )
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'lapsed', lapse: 'release' })
  })

  test('with another policy for its agent', async () => {
    const { agentId, name } = await lowRiskAgent()
    const grantId = await activeGrant(agentId)
    const ci = await api.client('ci-pipeline')
    const binding = await bindingFor(api, agentId, `${name}-more`)
    await approve(api, payload<Proposal>(await api.mutate(ci, 'policyBindings.propose', binding)).approvalId)
    expect(await grant(grantId, agentId)).toMatchObject({ status: 'lapsed', lapse: 'policy' })
  })

  test('with the standing of one of its two people', async () => {
    const { agentId } = await lowRiskAgent()
    const grantId = await activeGrant(agentId)
    const members = () =>
      query<{ items: { id: string; username: string; revision: number }[] }>('tom', 'members.list', {})
    const anna = async () => (await members()).items.find(({ username }) => username === 'anna')
    const before = await anna()
    payload(
      await mutate('tom', 'members.suspend', {
        id: before?.id,
        reason: 'On leave.',
        expectedRevision: before?.revision,
      }),
    )
    expect(await grant(grantId, agentId, 'vera')).toMatchObject({ status: 'lapsed', lapse: 'member' })
    const after = await anna()
    payload(
      await mutate('tom', 'members.resume', { id: after?.id, reason: 'Back.', expectedRevision: after?.revision }),
    )
    expect(await grant(grantId, agentId, 'vera')).toMatchObject({ status: 'lapsed' })
    api.forgetTokens()
    // Only those who leave the group end their grants.
    const next = await lowRiskAgent()
    const other = await activeGrant(next.agentId)
    const setMembers = async (names: string[]) => {
      const { items } = await query<{ items: { id: string; name: string; revision: number }[] }>(
        'tom',
        'groups.list',
        {},
      )
      const group = items.find(({ name }) => name === 'refund-approvers')
      const people = (await members()).items.filter(({ username }) => names.includes(username))
      const { change } = payload<{ change: { approvalId: string } }>(
        await mutate('tom', 'groups.setMembers', {
          id: group?.id,
          memberIds: people.map(({ id }) => id),
          expectedRevision: group?.revision,
          reason: 'A change.',
        }),
      )
      await approve(api, change.approvalId)
    }
    await setMembers(['anna', 'jonas'])
    expect(await grant(other, next.agentId)).toMatchObject({ status: 'active' })
    await setMembers(['jonas'])
    expect(await grant(other, next.agentId)).toMatchObject({ status: 'lapsed', lapse: 'member' })
    await setMembers(['anna', 'jonas', 'maria'])
  })

  test('with its time', async () => {
    const { agentId } = await lowRiskAgent()
    const source = await approvedRefund(agentId)
    const { grantId, approvalId } = payload<Proposal & { grantId: string }>(
      await propose(source, { until: new Date(Date.now() + 3_000).toISOString() }),
    )
    await approve(api, approvalId)
    expect(
      await until(async () => {
        const { status } = await grant(grantId, agentId)
        return status === 'active' ? undefined : status
      }, 'the grant ends'),
    ).toBe('expired')
    expect(await settled(await start(agentId))).toBe('waiting_approval')
  })
})

test('the database ends grants by the roles that may decide', () => {
  const deciding = Object.entries(rolePermissions).flatMap(([role, permissions]) =>
    (permissions as readonly string[]).includes('approval:decide') ? [role] : [],
  )
  expect(deciding.sort()).toEqual(['approver', 'decisions:write'])
})
