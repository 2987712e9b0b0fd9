import { sql } from 'kysely'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { decide } from '#server/approvals/decide.ts'
import { get } from '#server/approvals/get.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { appendRecords } from '#server/kernel/audit/store.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { readWritten } from '#server/kernel/db/closing.ts'
import { bindTenant, type Transaction } from '#server/kernel/db/database.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { askForRefund, approverGroup as group } from '#server/testing/approval-request.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { verify } from '#server/traces/verify.ts'
import { adoptTenant } from './adopt.ts'
import { requireAllBound, requireBound } from './check.ts'
import { onIntegrityFailed, type Tampered } from './integrity-failed.ts'
import { recheckRows } from './recheck.ts'
import { writeStates } from './store.ts'

// What an administrator of the database may change without a key: each change ends in integrity_failed, never in another
// legitimate state. Approvals are one type of many; every-type.test.ts covers the others.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
const alarms: Tampered[] = []
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry])
  onIntegrityFailed(async (tampered) => void alarms.push(tampered))
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

type Scene = { tenant: TestTenant; maria: Caller; jonas: Caller; anna: Caller }
async function scene(): Promise<Scene> {
  const tenant = await testTenant(running)
  const approver = (name: string) => tenant.as(name, { roles: ['approver'], groups: [group] })
  const maria = await tenant.as('maria', { roles: ['developer'] })
  const [jonas, anna] = [await approver('jonas'), await approver('anna')]
  expect(await adoptTenant(tenant.id)).toBe(true)
  return { tenant, maria, jonas, anna }
}
const ask = async ({ tenant, maria }: Scene, quorum = 2) => (await askForRefund(tenant, maria, { quorum })).approvalId
const vote = (caller: Caller, approvalId: string, decision = 'approve') =>
  execute(
    decide,
    caller,
    { approvalId, decision, decisionAcknowledged: true, reason: 'Because.' },
    { name: 'approvals.decide' },
  )
const read = (caller: Caller, approvalId: string) => execute(get, caller, { approvalId }, { name: 'approvals.get' })
const failure = (type: string, id: unknown) => ({ code: 'integrity_failed', status: 500, details: { type, id } })

async function records(tenant: TestTenant) {
  const rows = await running.database.inTenant(tenant.id, (tx) =>
    tx.selectFrom('auditRecords').select(['type', 'record']).where('tenantId', '=', tenant.id).orderBy('seq').execute(),
  )
  return rows.map(({ type, record }) => ({ type, record: record as JsonObject }))
}
const statesIn = (record: JsonObject) => (Array.isArray(record.states) ? record.states.filter(isJsonObject) : [])

test('the record of a transition commits to each object that it changed, with revisions from 1', async () => {
  const at = await scene()
  const id = await ask(at)
  await vote(at.jonas, id)
  const states = (await records(at.tenant)).flatMap(({ type, record }) =>
    statesIn(record)
      .filter((state) => String(state.id).startsWith(id))
      .map((state) => [type, state.type, state.revision]),
  )
  expect(states).toEqual([
    ['approval.requested', 'approval', 1],
    ['approval.approve', 'approval', 2],
    ['approval.approve', 'approval_vote', 1],
  ])
  const [first] = (await records(at.tenant)).flatMap(({ record }) => statesIn(record))
  expect(first).toEqual({
    type: expect.any(String),
    id: expect.any(String),
    revision: 1,
    form: 1,
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  })
  expect(await recheckRows(at.tenant.id)).toEqual([])
})

test('a transaction without a record of its own gets one for what it changed', async () => {
  const at = await scene()
  const id = newId()
  await running.database.inTenant(at.tenant.id, (tx) =>
    tx.insertInto('approverGroups').values({ tenantId: at.tenant.id, id, name: id, displayName: id }).execute(),
  )
  await running.database.inTenant(at.tenant.id, (tx) =>
    tx.deleteFrom('approverGroupMembers').where('tenantId', '=', at.tenant.id).execute(),
  )
  const [made, removed] = (await records(at.tenant)).slice(-2)
  expect(made).toMatchObject({ type: 'state.recorded', record: { resource: { type: 'approver_group', id } } })
  expect(removed?.type).toBe('state.recorded')
  expect(statesIn(removed?.record ?? {})).toEqual([
    expect.objectContaining({ type: 'approver_group_member', revision: 2, digest: null }),
    expect.objectContaining({ type: 'approver_group_member', revision: 2, digest: null }),
  ])
  expect(await recheckRows(at.tenant.id)).toEqual([])
})

test('a delegation that was inserted by SQL lets no one decide in the place of a reviewer', async () => {
  const at = await scene()
  const id = await ask(at, 1)
  const mallory = await at.tenant.as('mallory', { roles: ['approver'] })
  const delegation = newId()
  await owner.query(
    `insert into approver_delegations (tenant_id, id, delegator_id, delegate_id, from_at, until_at, reason)
     values ($1, $2, $3, $4, now() - interval '1 day', now() + interval '1 day', 'Holidays.')`,
    [at.tenant.id, delegation, at.jonas.principal.memberId, mallory.principal.memberId],
  )
  await expect(vote(mallory, id)).rejects.toMatchObject(failure('approver_delegation', delegation))
  expect(await read(at.maria, id)).toMatchObject({ status: 'pending' })
})

test('rows of two tenants in one transaction are bound in the log of each', async () => {
  const [one, two] = [await scene(), await scene()]
  const group = (tenantId: string, id: string) => ({ tenantId, id, name: id, displayName: id })
  const [first, second] = [newId(), newId()]
  await running.database.inTenant(one.tenant.id, async (tx) => {
    await tx.insertInto('approverGroups').values(group(one.tenant.id, first)).execute()
    await bindTenant(tx, two.tenant.id)
    await tx.insertInto('approverGroups').values(group(two.tenant.id, second)).execute()
  })
  for (const [{ tenant }, id] of [
    [one, first],
    [two, second],
  ] as const) {
    expect((await records(tenant)).at(-1)?.record.resource).toEqual({ type: 'approver_group', id })
    expect(await recheckRows(tenant.id)).toEqual([])
  }
})

test('more states than one record takes are divided between several', async () => {
  const at = await scene()
  const rows = Array.from({ length: 1100 }, () => newId()).map((id) => ({
    tenantId: at.tenant.id,
    id,
    name: id,
    displayName: id,
  }))
  await running.database.inTenant(at.tenant.id, (tx) => tx.insertInto('approverGroups').values(rows).execute())
  const sizes = (await records(at.tenant)).slice(-3).map(({ type, record }) => [type, statesIn(record).length])
  expect(sizes).toEqual([
    ['state.recorded', 500],
    ['state.recorded', 500],
    ['state.recorded', 100],
  ])
  expect(await recheckRows(at.tenant.id)).toEqual([])
})

test('rows that are written after they were read for the COMMIT are bound as they are then', async () => {
  const { tenant, ...at } = await scene()
  const id = await ask({ tenant, ...at })
  const act = { actor: systemActor, action: 'approval.escalated', resource: { type: 'approval', id } }
  const escalate = (tx: Transaction, level: number) =>
    sql`update approvals set escalation_level = ${level} where id = ${id}`.execute(tx)
  await running.database.inTenant(tenant.id, async (tx) => {
    await escalate(tx, 1)
    await readWritten(tx)
    await escalate(tx, 2)
    await appendAudit(tx, tenant, act)
  })
  await running.database.inTenant(tenant.id, async (tx) => {
    await inOneWrite(tx, [() => escalate(tx, 3), () => readWritten(tx)])
    await appendAudit(tx, tenant, act)
  })
  await running.database.inTenant(tenant.id, (tx) => requireBound(tx, tenant.id, 'approval', [id]))
  const last = (await records(tenant)).flatMap(({ record }) => statesIn(record)).filter((state) => state.id === id)
  expect(last.map(({ revision }) => revision)).toEqual([1, 2, 3])
})

test('a state that does not follow the stored one is not written, and no record with it', async () => {
  const at = await scene()
  const id = await ask(at)
  const before = await records(at.tenant)
  const state = {
    type: 'approval',
    id,
    form: 1,
    revision: 3,
    digest: Buffer.alloc(32),
    auditId: newId(),
    mac: Buffer.alloc(32),
  }
  const write = running.database.inTenant(at.tenant.id, (tx) =>
    tx.executeQuery(appendRecords(at.tenant.id, new Date(), [], [], writeStates(at.tenant.id, [state]))),
  )
  await expect(write).rejects.toThrow('Another transaction has bound one of these objects')
  expect(await records(at.tenant)).toEqual(before)
})

test('two concurrent transitions of one object have consecutive revisions', async () => {
  const at = await scene()
  const id = await ask(at)
  const set = (column: 'parkedAt' | 'usedAt') =>
    running.database.inTenant(at.tenant.id, (tx) =>
      tx
        .updateTable('approvals')
        .set({ [column]: new Date() })
        .where('tenantId', '=', at.tenant.id)
        .where('id', '=', id)
        .execute(),
    )
  await Promise.all([set('parkedAt'), set('usedAt'), set('parkedAt')])
  const revisions = (await records(at.tenant)).flatMap(({ record }) =>
    statesIn(record)
      .filter((state) => state.id === id)
      .map((state) => state.revision),
  )
  expect(revisions).toEqual([1, 2, 3, 4])
  expect(await recheckRows(at.tenant.id)).toEqual([])
})

test('a transaction that changes nothing of a state leaves no record', async () => {
  const at = await scene()
  const before = (await records(at.tenant)).length
  await running.database.inTenant(at.tenant.id, (tx) =>
    tx.updateTable('members').set({ status: 'active' }).where('tenantId', '=', at.tenant.id).execute(),
  )
  expect(await records(at.tenant)).toHaveLength(before)
})

const tricks: [name: string, statement: string, type: string][] = [
  ['approved without a vote', `update approvals set status = 'approved', decided_at = now() where id = $1`, 'approval'],
  ['a smaller quorum', 'update approvals set quorum = 1 where id = $1', 'approval'],
  ['other content', `update approvals set payload = '\\x0301' where id = $1`, 'approval'],
  ['its bound state deleted', 'delete from bound_states where id = $1', 'approval'],
  ['its bound state rewound', `update bound_states set revision = 1 where id = $1`, 'approval'],
  [
    'its bound state exchanged',
    `update bound_states s set digest = o.digest, mac = o.mac from bound_states o
     where s.id = $1 and o.tenant_id = s.tenant_id and o.type = 'member'`,
    'approval',
  ],
  ['a vote turned round', `update approval_votes set decision = 'reject' where approval_id = $1`, 'approval_vote'],
  [
    'a vote of another person',
    `update approval_votes set member_id = (select requested_by from approvals where id = $1) where approval_id = $1`,
    'approval_vote',
  ],
  ['a vote with another reason', `update approval_votes set reason = 'Other.' where approval_id = $1`, 'approval_vote'],
  ['a vote removed', 'delete from approval_votes where approval_id = $1', 'approval_vote'],
  [
    'a vote removed together with its bound state',
    `with gone as (delete from approval_votes where approval_id = $1 returning id)
     delete from bound_states where id in (select $1 || '/' || id from gone)`,
    'approval_vote',
  ],
  [
    'a vote added',
    `insert into approval_votes (tenant_id, approval_id, id, member_id, decision, reason, escalation_level, audit_id)
     select tenant_id, approval_id, gen_random_uuid(), (select requested_by from approvals where id = $1), decision, reason,
       escalation_level, audit_id from approval_votes where approval_id = $1`,
    'approval_vote',
  ],
]
test.each(tricks)('%s: neither decided nor shown, and reported', async (_name, statement, type) => {
  const at = await scene()
  const id = await ask(at)
  await vote(at.jonas, id)
  // The bound state of a removed vote is removed too: only the log still has it, which the recurring check compares.
  const onlyLogged = statement.includes('with gone')
  await owner.query(statement, [id])
  if (!onlyLogged) {
    await expect(vote(at.anna, id)).rejects.toMatchObject(failure(type, expect.stringContaining(id)))
    await expect(read(at.maria, id)).rejects.toMatchObject(failure(type, expect.stringContaining(id)))
  }
  const found = await recheckRows(at.tenant.id)
  expect(found?.map((one) => one.type)).toContain(type)
  expect(found?.every((one) => one.id.startsWith(id))).toBe(true)
  expect(alarms.filter(({ tenantId }) => tenantId === at.tenant.id).map((one) => one.type)).toContain(type)
  const logged = (await records(at.tenant)).filter((one) => one.type === 'state.integrity_failed')
  expect(logged.map(({ record }) => record.resource)).toContainEqual({ type, id: expect.stringContaining(id) })
})

test('a later transition does not launder a changed row, whatever statement writes it', async () => {
  const at = await scene()
  const id = await ask(at)
  await owner.query('update approvals set quorum = 1 where id = $1', [id])
  const transition = running.database.inTenant(at.tenant.id, (tx) =>
    tx.updateTable('approvals').set({ parkedAt: new Date() }).where('id', '=', id).execute(),
  )
  await expect(transition).rejects.toMatchObject(failure('approval', id))
  const { rows } = await owner.query('select parked_at from approvals where id = $1', [id])
  expect(rows).toEqual([{ parked_at: null }])
})

test('a transaction may read what it has written itself, and not what someone else has changed', async () => {
  const at = await scene()
  const id = await ask(at)
  await running.database.inTenant(at.tenant.id, async (tx) => {
    await tx.updateTable('approvals').set({ parkedAt: new Date() }).where('id', '=', id).execute()
    await requireBound(tx, at.tenant.id, 'approval', [id])
    await requireAllBound(tx, at.tenant.id, 'approval')
  })
  const other = await ask(at)
  await owner.query('update approvals set quorum = 1 where id = $1', [other])
  const both = running.database.inTenant(at.tenant.id, async (tx) => {
    await tx.updateTable('approvals').set({ usedAt: new Date() }).where('id', '=', id).execute()
    await requireBound(tx, at.tenant.id, 'approval', [id, other])
  })
  await expect(both).rejects.toMatchObject(failure('approval', other))
})

test('an older row with its older bound state is found by the recurring check, and by the verification of its record', async () => {
  const at = await scene()
  const id = await ask(at)
  await owner.query('create temporary table old_row as select * from approvals where id = $1', [id])
  await owner.query('create temporary table old_state as select * from bound_states where id = $1', [id])
  await vote(at.jonas, id, 'reject')
  await owner.query(
    'update approvals set (status, decided_at, audit_id, revision) = (select status, decided_at, audit_id, revision from old_row) where id = $1',
    [id],
  )
  await owner.query(
    'update bound_states set (revision, digest, audit_id, mac) = (select revision, digest, audit_id, mac from old_state) where id = $1',
    [id],
  )
  expect(await recheckRows(at.tenant.id)).toEqual([expect.objectContaining({ type: 'approval', id })])
  await signTenant(at.tenant.id)
  await expect(verified(at, 'approval.reject')).rejects.toMatchObject(failure('approval', id))
})

/** Verifies the last record of an action, as an auditor does. */
async function verified({ tenant }: Scene, action: string) {
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  const record = (await records(tenant)).findLast(({ type }) => type === action)?.record
  return await execute(
    verify,
    auditor,
    { tenant: tenant.externalId, auditId: record?.auditId },
    { name: 'traces.verify' },
  )
}

test('the verification of a record compares the rows of the objects that it commits to', async () => {
  const at = await scene()
  const id = await ask(at)
  await vote(at.jonas, id)
  await vote(at.anna, id)
  await signTenant(at.tenant.id)
  // Later records have changed the request since.
  expect(await verified(at, 'approval.requested')).toMatchObject({ verified: true })
  await owner.query(`update approval_votes set decision = 'reject' where approval_id = $1`, [id])
  expect(await verified(at, 'approval.requested')).toMatchObject({ verified: true })
  await expect(verified(at, 'approval.approve')).rejects.toMatchObject(
    failure('approval_vote', expect.stringContaining(id)),
  )
  await owner.query(`update approvals set quorum = 1 where id = $1`, [id])
  await expect(verified(at, 'approval.requested')).rejects.toMatchObject(failure('approval', id))
})

test('a row moved to another tenant belongs to neither', async () => {
  const [from, to] = [await scene(), await scene()]
  const id = newId()
  const insert = running.database.inTenant(from.tenant.id, (tx) =>
    tx
      .insertInto('policies')
      .values({
        tenantId: from.tenant.id,
        id,
        name: id,
        createdBy: from.maria.principal.memberId,
      })
      .execute(),
  )
  await insert
  await owner.query('update policies set tenant_id = $2, created_by = $3 where id = $1', [
    id,
    to.tenant.id,
    to.maria.principal.memberId,
  ])
  await owner.query('update bound_states set tenant_id = $2 where id = $1', [id, to.tenant.id])
  for (const { tenant } of [from, to])
    expect(await recheckRows(tenant.id)).toEqual([expect.objectContaining({ type: 'policy', id })])
})

test('the end of the adoption can’t be taken back', async () => {
  const at = await scene()
  await owner.query('delete from bound_adoptions where tenant_id = $1', [at.tenant.id])
  expect(await recheckRows(at.tenant.id)).toEqual([expect.objectContaining({ type: 'tenant', id: at.tenant.id })])
})
