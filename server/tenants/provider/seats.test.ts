import type { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decide } from '#server/approvals/decide.ts'
import { create as delegate } from '#server/approvals/delegations/create.ts'
import { get } from '#server/approvals/get.ts'
import { getPending } from '#server/approvals/get-pending.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { eligibleMembers } from '../approvers/eligible.ts'
import { createGroup } from '../create-tenant.ts'
import { setMappedGroups } from './mapped-groups.ts'
import { setNewestToken } from './newest-token.ts'
import { setMappings } from './set-mappings.ts'

// Seats in approver groups that SCIM and tokens give, without any row in approver_group_members.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  onDecided('tool_call', async () => undefined)
  await running.queue.work([expiry])
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

let tenant: TestTenant
let groupId: string
let maria: Caller
let anna: Caller
let jonas: Caller
beforeEach(async () => {
  tenant = await testTenant(running)
  maria = await tenant.as('maria', { roles: ['developer'] })
  anna = await tenant.as('anna', { roles: ['approver'] })
  jonas = await tenant.as('jonas', { roles: ['approver'] })
  groupId = await inTenant((tx) => createGroup(tx, tenant, approverGroup, 'Refund approvers'))
  await inTenant((tx) => setMappings(tx, tenant.id, groupId, [{ issuer: 'test', name: 'refunds' }]))
})

const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => running.database.inTenant(tenant.id, work)
const call = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const named = ({ principal }: Caller, names: string[], source: 'token' | 'scim' = 'scim') =>
  inTenant((tx) => setMappedGroups(tx, tenant.id, { memberId: principal.memberId, source, names }))
const tokenOf = ({ principal }: Caller, hoursAgo: number) =>
  inTenant((tx) =>
    setNewestToken(tx, {
      tenantId: tenant.id,
      memberId: principal.memberId,
      issuedAt: new Date(Date.now() - hoursAgo * 3_600_000),
      groups: [],
    }),
  )
const eligible = async () => {
  const members = await inTenant((tx) =>
    eligibleMembers(tx, tenant, { id: groupId, displayName: 'Refund approvers' }, []),
  )
  return members.map(({ id }) => id)
}
const ids = (...callers: Caller[]) => callers.map(({ principal }) => principal.memberId)
const vote = (caller: Caller, approvalId: string) =>
  call(decide, caller, { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read and found right.' })

describe('a mapped group', () => {
  test('gives its members a seat: they are counted, notified, and can decide', async () => {
    await expect(askForRefund(tenant, maria)).rejects.toMatchObject({ code: 'no_eligible_approver' })
    expect(await named(anna, ['refunds', 'others'])).toEqual({ joined: ['refunds', 'others'], left: [] })
    await expect(askForRefund(tenant, maria, { quorum: 2 })).rejects.toMatchObject({ code: 'no_eligible_approver' })
    await named(jonas, ['refunds'])
    const { approvalId } = await askForRefund(tenant, maria, { quorum: 2 })
    expect(await eligible()).toEqual(ids(anna, jonas))
    expect((await call(getPending, anna, { view: 'needs-me' })).items.map((item) => item.approvalId)).toEqual([
      approvalId,
    ])
    expect(await call(get, anna, { approvalId })).toMatchObject({ eligible: true })
    await vote(anna, approvalId)
    expect(await vote(jonas, approvalId)).toMatchObject({ status: 'approved' })
  })

  test('seats one member once, however many sources and groups name them', async () => {
    await named(anna, ['refunds'])
    await named(anna, ['refunds'], 'token')
    await tokenOf(anna, 1)
    await inTenant((tx) =>
      setMappings(tx, tenant.id, groupId, [
        { issuer: 'test', name: 'refunds' },
        { issuer: 'test', name: 'others' },
      ]),
    )
    await named(anna, ['refunds', 'others'])
    await owner.query('insert into approver_group_members (tenant_id, group_id, member_id) values ($1, $2, $3)', [
      tenant.id,
      groupId,
      anna.principal.memberId,
    ])
    expect(await eligible()).toEqual(ids(anna))
  })

  test('counts for 24 hours after the token was issued, and by SCIM until SCIM says otherwise', async () => {
    await named(anna, ['refunds'], 'token')
    expect(await eligible()).toEqual([])
    await tokenOf(anna, 23.9)
    expect(await eligible()).toEqual(ids(anna))
    await tokenOf(anna, 24.1)
    expect(await eligible()).toEqual([])
    await named(anna, ['refunds'])
    await named(jonas, ['refunds'])
    expect(await eligible()).toEqual(ids(anna, jonas))
    const change = await inTenant((tx) =>
      setMappedGroups(tx, tenant.id, { memberId: anna.principal.memberId, source: 'scim', names: [] }),
    )
    expect(change).toEqual({ joined: [], left: ['refunds'] })
    expect(await eligible()).toEqual(ids(jonas))
  })

  test('gives no seat to a member of another issuer, or without the role, or to a suspended one', async () => {
    await named(anna, ['refunds'])
    await named(maria, ['refunds'])
    expect(await eligible()).toEqual(ids(anna))
    await inTenant((tx) => setMappings(tx, tenant.id, groupId, [{ issuer: 'https://other', name: 'refunds' }]))
    expect(await eligible()).toEqual([])
    await inTenant((tx) => setMappings(tx, tenant.id, groupId, [{ issuer: 'test', name: 'refunds' }]))
    await owner.query(`update members set status = 'suspended' where id = $1`, ids(anna))
    expect(await eligible()).toEqual([])
  })

  test('lends its seats by delegation, as long as it gives them', async () => {
    await named(anna, ['refunds'])
    const { approvalId } = await askForRefund(tenant, maria)
    await call(delegate, anna, {
      delegate: jonas.principal.username,
      until: new Date(Date.now() + 3_600_000).toISOString(),
      reason: 'On leave.',
    })
    expect(await call(get, jonas, { approvalId })).toMatchObject({ eligible: true })
    await named(anna, [])
    expect(await call(get, jonas, { approvalId })).toMatchObject({ eligible: false })
  })

  test('of one tenant gives no seat in another', async () => {
    await named(anna, ['refunds'])
    const other = await testTenant(running)
    const twin = await other.as('anna', { roles: ['approver'] })
    const group = await running.database.inTenant(other.id, (tx) => createGroup(tx, other, approverGroup, 'Refunds'))
    await running.database.inTenant(other.id, (tx) =>
      setMappedGroups(tx, other.id, { memberId: twin.principal.memberId, source: 'scim', names: ['refunds'] }),
    )
    const there = await running.database.inTenant(other.id, (tx) =>
      eligibleMembers(tx, other, { id: group, displayName: 'Refunds' }, []),
    )
    expect(there).toEqual([])
  })
})

test('a seat that SQL has made is refused when it decides', async () => {
  await named(jonas, ['refunds'])
  const { approvalId } = await askForRefund(tenant, maria)
  await owner.query(`update tenants set settings = '{"retentionDays":40}' where id = $1`, [tenant.id])
  expect(await adoptTenant(tenant.id)).toBe(true)
  await owner.query(
    `insert into mapped_members (tenant_id, id, member_id, source, name) values ($1, $2, $3, 'scim', 'refunds')`,
    [tenant.id, newId(), anna.principal.memberId],
  )
  await expect(vote(anna, approvalId)).rejects.toMatchObject({
    code: 'integrity_failed',
    details: { type: 'mapped_member' },
  })
  expect(await vote(jonas, approvalId)).toMatchObject({ status: 'approved' })
})

test('a seat whose token SQL has made newer is refused when it decides, and counts for nothing without its mac', async () => {
  await named(anna, ['refunds'], 'token')
  await named(jonas, ['refunds'])
  await tokenOf(anna, 25)
  const { approvalId } = await askForRefund(tenant, maria)
  await expect(vote(anna, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
  const mine = [tenant.id, anna.principal.memberId]
  // The trigger takes the mac from a row that is changed without it.
  await owner.query('update member_tokens set issued_at = now() where tenant_id = $1 and member_id = $2', mine)
  await expect(vote(anna, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
  await tokenOf(anna, 25)
  await owner.query('alter table member_tokens disable trigger forget_mac')
  await owner.query('update member_tokens set issued_at = now() where tenant_id = $1 and member_id = $2', mine)
  await owner.query('alter table member_tokens enable trigger forget_mac')
  await expect(vote(anna, approvalId)).rejects.toMatchObject({
    code: 'integrity_failed',
    details: { type: 'member_token', id: anna.principal.memberId },
  })
  await tokenOf(anna, 1)
  expect(await vote(anna, approvalId)).toMatchObject({ status: 'approved' })
})

describe('a standing grant ends with the seat of its people', () => {
  const grantOf = async ({ principal }: Caller) => {
    const id = newId()
    await owner.query('begin')
    await owner.query('set local session_replication_role = replica')
    await owner.query(
      `insert into standing_grants (tenant_id, id, source_id, approval_id, agent_id, release_id, environment, resource, policies,
         group_id, status, proposed_by, max_uses, until_at)
       values ($1, $2, $2, $2, $2, $2, 'test', 'payments/issue_refund', '[]', $3, 'active', $4, 10, now() + interval '1 hour')`,
      [tenant.id, id, groupId, principal.memberId],
    )
    await owner.query('commit')
    return id
  }
  const statusOf = async (id: string) =>
    (await owner.query('select status, lapse from standing_grants where id = $1', [id])).rows[0]

  test('when the provider no longer names them, unless something else seats them', async () => {
    await named(anna, ['refunds'])
    await named(anna, ['refunds'], 'token')
    await named(jonas, ['refunds', 'others'])
    const [ofAnna, ofJonas] = [await grantOf(anna), await grantOf(jonas)]
    await named(anna, [])
    await named(jonas, ['refunds'])
    expect([await statusOf(ofAnna), await statusOf(ofJonas)]).toEqual([
      { status: 'active', lapse: null },
      { status: 'active', lapse: null },
    ])
    await named(anna, [], 'token')
    expect([await statusOf(ofAnna), await statusOf(ofJonas)]).toEqual([
      { status: 'lapsed', lapse: 'member' },
      { status: 'active', lapse: null },
    ])
  })

  test('when the mapping ends', async () => {
    await named(anna, ['refunds'])
    const grant = await grantOf(anna)
    const other = await grantOf(maria)
    await inTenant((tx) => setMappings(tx, tenant.id, groupId, []))
    expect(await statusOf(grant)).toEqual({ status: 'lapsed', lapse: 'member' })
    expect(await statusOf(other)).toEqual({ status: 'active', lapse: null })
  })
})
