import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startsOfDays } from '#lib/rules/home/days.ts'
import { figureDays } from '#lib/schemas/home/overview.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { close } from '#server/audit/alarms/close.ts'
import { listAlarms } from '#server/audit/alarms/list.ts'
import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { fillLists, nthId } from '#server/testing/long-lists.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { scansOf, statementsOf } from '#server/testing/statements.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { activity } from './agent-activity.ts'
import { changes } from './changes.ts'
import { figures } from './figures.ts'
import { now } from './now.ts'

// What home shows, compared with facts that SQL made.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
beforeAll(async () => {
  running = await testRuntime()
  await running.queue.work([expiry])
  owner = await connectAsOwner(running)
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

const dayMs = 86_400_000
const zone = 'Europe/Berlin'
const readFigures = (by: Caller) => execute(figures, by, { timeZone: zone }, { name: 'home.figures' })
const readNow = (by: Caller) => execute(now, by, undefined, { name: 'home.now' })
const readChanges = (by: Caller) => execute(changes, by, { timeZone: zone }, { name: 'home.changes' })
const readActivity = (by: Caller, agentIds: string[]) =>
  execute(activity, by, { agentIds, timeZone: zone }, { name: 'agents.activity' })

/** The middle of the day `back` days before today, in the zone of the tests; never later than now. */
function noon(back: number): Date {
  const starts = startsOfDays(new Date(), zone, back + 1)
  return back === 0 ? new Date((starts[0]?.getTime() ?? 0) + 1) : new Date((starts[0]?.getTime() ?? 0) + dayMs / 2)
}

async function insert(table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row)
  await owner.query(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  )
}

/** A tenant with one agent that has a release, and inserts of what ended. */
async function tenantOfFacts() {
  const tenant = await testTenant(running)
  const vera = await tenant.as('vera', { roles: ['auditor'] })
  const by = vera.principal.memberId
  const [agentId, versionId, releaseId, groupId] = [newId(), newId(), newId(), newId()]
  const tenant_id = tenant.id
  await insert('agents', {
    tenant_id,
    id: agentId,
    name: 'refunds',
    display_name: 'Refunds',
    status: 'active',
    created_by: by,
  })
  await insert('agent_versions', {
    tenant_id,
    id: versionId,
    agent_id: agentId,
    version: '1.0.0',
    manifest_yaml: 'name: refunds',
    manifest: '{}',
    manifest_digest: 'd',
    created_by: by,
  })
  await insert('releases', {
    tenant_id,
    id: releaseId,
    agent_id: agentId,
    agent_version_id: versionId,
    environment: 'production',
    digest: `sha256:${'0'.repeat(64)}`,
    content: '{}',
    status: 'active',
    approval_id: newId(),
    proposed_by: by,
  })
  await insert('approver_groups', { tenant_id, id: groupId, name: 'reviewers', display_name: 'Reviewers' })
  const run = async (status: string, endedAt: Date | null) => {
    const id = newId()
    await insert('executions', {
      tenant_id,
      id,
      agent_id: agentId,
      release_id: releaseId,
      environment: 'production',
      status,
      trace_id: id.replaceAll('-', ''),
      started_by: by,
      ended_at: endedAt,
    })
    return id
  }
  const decision = (status: string, decidedAt: Date | null, seconds = 0) =>
    insert('approvals', {
      tenant_id,
      id: newId(),
      kind: 'tool_call',
      subject_id: newId(),
      status,
      payload_digest: `sha256:${'0'.repeat(64)}`,
      requested_by: by,
      identities: '[]',
      group_id: groupId,
      quorum: 1,
      agent_id: agentId,
      requested_at: new Date((decidedAt?.getTime() ?? Date.now()) - seconds * 1000),
      decided_at: decidedAt,
      expires_at: new Date(Date.now() + dayMs),
    })
  const charge = async (micros: number | null, currency: string | null, settledAt: Date | null) =>
    await insert('execution_charges', {
      tenant_id,
      execution_id: await run('running', null),
      step_id: 'turn',
      attempt: 1,
      model: 'm',
      currency,
      reserved_micros: 9_000_000,
      charged_micros: micros,
      settled_at: settledAt,
    })
  return { tenant, vera, agentId, run, decision, charge }
}

describe('figures', () => {
  test('count decisions by day, and the median time of those that people made', async () => {
    const { vera, decision } = await tenantOfFacts()
    await decision('approved', noon(0), 10)
    await decision('approved', noon(3), 20)
    await decision('approved', noon(3), 60)
    await decision('rejected', noon(3), 600)
    await decision('expired', noon(3), 86_400)
    await decision('canceled', noon(3), 5)
    await decision('approved', noon(figureDays), 5)
    await decision('pending', null)
    const { days, decisions } = await readFigures(vera)
    expect(days).toEqual(startsOfDays(new Date(), zone, figureDays).map((start) => start.toISOString()))
    expect(decisions).toHaveLength(figureDays)
    expect(decisions?.at(-1)).toEqual({ approved: 1, rejected: 0, expired: 0, medianSeconds: 10 })
    expect(decisions?.at(-4)).toEqual({ approved: 2, rejected: 1, expired: 1, medianSeconds: 60 })
    expect(decisions?.reduce((sum, { approved }) => sum + approved, 0)).toBe(3)
    expect(decisions?.at(-2)).toEqual({ approved: 0, rejected: 0, expired: 0, medianSeconds: null })
  })

  test('count executions that ended and failed; a refusal by policy or people is not a failure', async () => {
    const { vera, run } = await tenantOfFacts()
    for (const status of [
      'succeeded',
      'succeeded',
      'failed',
      'timed_out',
      'indeterminate',
      'denied',
      'rejected',
      'canceled',
    ])
      await run(status, noon(1))
    await run('failed', noon(0))
    await run('running', null)
    const { runs } = await readFigures(vera)
    expect(runs?.at(-2)).toEqual({ ended: 8, failed: 3 })
    expect(runs?.at(-1)).toEqual({ ended: 1, failed: 1 })
    expect(runs?.reduce((sum, { ended }) => sum + ended, 0)).toBe(9)
  })

  test('sum costs by currency, never over currencies, and without open reservations', async () => {
    const { vera, charge } = await tenantOfFacts()
    await charge(1_250_000, 'EUR', noon(0))
    await charge(250_000, 'EUR', noon(0))
    await charge(40_000, 'EUR', noon(2))
    await charge(3_000_001, 'USD', noon(2))
    await charge(null, 'EUR', null)
    await charge(7_000_000, null, noon(2))
    const { cost } = await readFigures(vera)
    expect(cost?.map(({ currency, byDay }) => [currency, byDay.at(-3), byDay.at(-1)])).toEqual([
      ['EUR', '0.04', '1.5'],
      ['USD', '3.000001', '0'],
    ])
  })

  test('list the budgets with the smallest remaining share, without those that ended', async () => {
    const { tenant, vera, agentId } = await tenantOfFacts()
    const policyId = newId()
    const tenant_id = tenant.id
    await insert('policies', { tenant_id, id: policyId, name: 'spending', created_by: vera.principal.memberId })
    const window = (rule: string, used: number, ends: number | null, agent: string | null = null) =>
      insert('policy_budget_windows', {
        tenant_id,
        id: newId(),
        budget: rule,
        subject: rule,
        starts_at: new Date(),
        ends_at: ends === null ? null : new Date(Date.now() + ends),
        policy_id: policyId,
        rule,
        scope: agent === null ? 'tenant' : 'agent',
        unit: 'EUR',
        quota: 60_000_000,
        used,
        agent_id: agent,
      })
    await window('roomy', 1_000_000, dayMs)
    await window('tight', 59_500_000, dayMs, agentId)
    await window('ended', 60_000_000, -1000)
    await window('of-an-execution', 60_000_000, null)
    const { budgets } = await readFigures(vera)
    expect(budgets?.map(({ rule }) => rule)).toEqual(['tight', 'roomy'])
    expect(budgets?.[0]).toMatchObject({
      policyName: 'spending',
      limit: '60',
      used: '59.5',
      agentName: 'Refunds',
      unit: 'EUR',
    })
  })

  test('of a tenant without facts are zeros, and refuse what is not a time zone', async () => {
    const tenant = await testTenant(running)
    const vera = await tenant.as('vera', { roles: ['auditor'] })
    const found = await readFigures(vera)
    expect(found.runs).toEqual(Array.from({ length: figureDays }, () => ({ ended: 0, failed: 0 })))
    expect(found).toMatchObject({ cost: [], budgets: [] })
    await expect(execute(figures, vera, { timeZone: 'Berlin' }, { name: 'home.figures' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  test('and the activity of agents read one range of an index per day, however much ended before', async () => {
    const tenant = await testTenant(running)
    const vera = await tenant.as('vera', { roles: ['auditor'] })
    // They ended in 2024.
    await fillLists(owner, { tenantId: tenant.id, memberId: vera.principal.memberId, from: 0, to: 3000 })
    for (const read of [() => readFigures(vera), () => readActivity(vera, [nthId(1), nthId(2)])]) {
      const statements = (await statementsOf(read)).filter(({ text }) => /^\s*select/i.test(text))
      const scans = await running.database.inTenant(tenant.id, async (tx) =>
        (await Promise.all(statements.map((statement) => scansOf(tx, statement)))).flat(),
      )
      const large = scans.filter(({ relation }) => ['executions', 'approvals', 'execution_charges'].includes(relation))
      expect(large.length).toBeGreaterThan(1)
      // The pending approvals are few, and counted.
      expect(large.filter(({ rows }) => rows > 600)).toEqual([])
    }
  })
})

describe('what needs the caller', () => {
  let tenant: TestTenant
  let maria: Caller
  let jonas: Caller
  beforeAll(async () => {
    tenant = await testTenant(running)
    maria = await tenant.as('maria', { roles: ['developer', 'approver'] })
    jonas = await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] })
  })

  test('is listed by the time that is left, counted, and never their own request', async () => {
    const later = await askForRefund(tenant, maria, { expiresAfterSeconds: 7200 })
    const soon = await askForRefund(tenant, maria, { expiresAfterSeconds: 600 })
    const { needs } = await readNow(jonas)
    expect(needs?.items.map(({ approvalId }) => approvalId)).toEqual([soon.approvalId, later.approvalId])
    expect(needs).toMatchObject({ count: 2, withinHour: 1 })
    expect((await readNow(maria)).needs).toMatchObject({ items: [], count: 0, withinHour: 0 })
  })

  test('is absent for those who can’t decide', async () => {
    const vera = await tenant.as('vera', { roles: ['auditor'] })
    expect(await readNow(vera)).toEqual({
      needs: null,
      underWay: { running: 0, waitingApproval: 0, waitingInput: 0 },
      alarmOpen: false,
    })
  })
})

test('an open alarm is known to those whose lists of approvals may lack some, until it is closed', async () => {
  const tenant = await testTenant(running)
  const jonas = await tenant.as('jonas', { roles: ['approver'] })
  const petra = await tenant.as('petra', { roles: ['privacy_officer'] })
  const openFor = async (by: Caller) => (await readNow(by)).alarmOpen
  expect(jonas.principal.permissions.has('audit:read')).toBe(false)
  expect(await openFor(jonas)).toBe(false)
  await raiseAlarm(tenant.id, { kind: 'object', subject: 'approval/one', reason: 'The stored approval differs.' })
  expect(await openFor(jonas)).toBe(true)
  expect(await openFor(petra)).toBeNull()

  const reason = 'An operator changed the row by mistake; it was restored from the backup.'
  const vera = await tenant.as('vera', { roles: ['auditor'] })
  const tom = await tenant.as('tom', { roles: ['tenant_admin'] })
  const { items } = await execute(listAlarms, vera, { status: 'open' }, { name: 'alarms.list' })
  for (const { id } of items) await execute(close, tom, { id, reason }, { name: 'alarms.close' })
  expect(await openFor(jonas)).toBe(false)
})

test('executions under way are counted by what they wait for', async () => {
  const { vera, run } = await tenantOfFacts()
  for (const status of ['queued', 'running', 'waiting_approval', 'waiting_input', 'waiting_input'])
    await run(status, null)
  await run('succeeded', noon(0))
  expect((await readNow(vera)).underWay).toEqual({ running: 2, waitingApproval: 1, waitingInput: 2 })
})

test('the activity of an agent has its last execution, what waits and its failures by day', async () => {
  const { tenant, vera, agentId, run, decision } = await tenantOfFacts()
  // Ids of the same millisecond are in no order.
  const runs = new Map<string, string>()
  for (const status of ['failed', 'succeeded', 'waiting_input', 'running'])
    runs.set(await run(status, /ing/.test(status) ? null : noon(1)), status)
  const last = [...runs.keys()].sort().at(-1) ?? ''
  await decision('pending', null)
  const idle = newId()
  await insert('agents', {
    tenant_id: tenant.id,
    id: idle,
    name: 'idle',
    display_name: 'Idle',
    status: 'registered',
    created_by: vera.principal.memberId,
  })
  const { items, days } = await readActivity(vera, [agentId, idle, newId(), agentId])
  expect(days).toHaveLength(figureDays)
  const [busy, other] = [items.find((one) => one.agentId === agentId), items.find((one) => one.agentId === idle)]
  expect(items).toHaveLength(2)
  expect(busy).toMatchObject({
    lastRun: { executionId: last, status: runs.get(last) },
    running: 1,
    waitingInput: 1,
    pendingApprovals: 1,
  })
  expect(busy?.byDay.at(-2)).toEqual({ ended: 2, failed: 1 })
  expect(other).toMatchObject({ lastRun: null, running: 0, waitingInput: 0, pendingApprovals: 0 })
  const stranger = await (await testTenant(running)).as('omar', { roles: ['operator'] })
  expect((await readActivity(stranger, [agentId])).items).toEqual([])
})

describe('changes since yesterday', () => {
  let tenant: TestTenant
  let agentId: string
  const piaId = newId()
  let seq = 1_000_000
  const record = async (action: string, resource: object, at: Date, more: object = {}) => {
    const auditId = newId()
    await insert('audit_records', {
      tenant_id: tenant.id,
      date: at.toISOString().slice(0, 10),
      seq: seq++,
      audit_id: auditId,
      type: action,
      record: JSON.stringify({ action, actor: { type: 'person', id: piaId, name: 'pia' }, resource, ...more }),
      nonce: Buffer.alloc(32),
      digest: Buffer.alloc(32),
      leaf_hash: Buffer.alloc(32),
      created_at: at,
    })
    return auditId
  }
  beforeAll(async () => {
    const facts = await tenantOfFacts()
    tenant = facts.tenant
    agentId = facts.agentId
    await insert('members', {
      tenant_id: tenant.id,
      id: piaId,
      issuer: 'test',
      subject: 'pia',
      kind: 'person',
      username: 'pia',
      display_name: 'Pia Santos',
      status: 'active',
    })
    await record('agent.suspended', { type: 'agent', id: agentId }, noon(1))
    await record('agent.registered', { type: 'agent', id: agentId }, noon(1), { details: { repeated: true } })
    await record('agent.resumed', { type: 'agent', id: agentId }, noon(2))
    await record('secret.created', { type: 'secret', id: newId() }, noon(0), { details: { name: 'llm' } })
    await record('tool.called', { type: 'execution', id: newId() }, noon(0))
    await record('secret.created.refused', { type: 'secret', id: 'x' }, noon(0))
  })

  test('name what changed and who did it, the newest first', async () => {
    const vera = await tenant.as('vera', { roles: ['auditor'] })
    const { items, since } = await readChanges(vera)
    expect(since).toBe(startsOfDays(new Date(), zone, 2)[0]?.toISOString())
    expect(items.map(({ action, name, by, objectId }) => [action, name, by, objectId])).toEqual([
      ['secret.created', 'llm', 'Pia Santos', null],
      ['agent.suspended', 'Refunds', 'Pia Santos', agentId],
    ])
  })

  test('without the audit log are those of objects that the caller may read, without people', async () => {
    const viewer = await tenant.as('viktor', { roles: ['viewer'] })
    expect((await readChanges(viewer)).items.map(({ action, by }) => [action, by])).toEqual([['agent.suspended', null]])
    const machine = await tenant.as('display', { roles: ['decisions:read'], kind: 'service_account' })
    expect((await readChanges(machine)).items).toEqual([])
  })

  test('of another tenant are not listed', async () => {
    const vera = await (await testTenant(running)).as('vera', { roles: ['auditor'] })
    expect((await readChanges(vera)).items).toEqual([])
  })
})

test.each([
  ['viewer', { decisions: true, runs: true, budgets: true }, { needs: false, underWay: true }],
  ['developer', { decisions: true, runs: true, budgets: true }, { needs: false, underWay: true }],
  ['approver', { decisions: true, runs: true, budgets: true }, { needs: true, underWay: true }],
  ['privacy_officer', { decisions: false, runs: false, budgets: false }, { needs: false, underWay: false }],
  ['decisions:read', { decisions: true, runs: false, budgets: false }, { needs: false, underWay: false }],
  ['decisions:write', { decisions: true, runs: false, budgets: false }, { needs: true, underWay: false }],
  ['traces:write', { decisions: false, runs: false, budgets: false }, { needs: false, underWay: false }],
])('%s gets only the parts that they may read', async (role, seen, present) => {
  const tenant = await testTenant(running)
  const caller = await tenant.as('someone', { roles: [role] })
  const { decisions, runs, cost, budgets } = await readFigures(caller)
  expect({ decisions: decisions !== null, runs: runs !== null, budgets: budgets !== null }).toEqual(seen)
  expect(cost !== null).toBe(seen.runs)
  const { needs, underWay } = await readNow(caller)
  expect({ needs: needs !== null, underWay: underWay !== null }).toEqual(present)
})
