import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { askForRefund, approverGroup as group } from '#server/testing/approval-request.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { decide } from '../decide.ts'
import { get } from '../get.ts'
import { getPending } from '../get-pending.ts'
import { expiry } from '../jobs.ts'
import { onDecided } from '../subjects.ts'
import { create } from './create.ts'
import { end } from './end.ts'
import { list } from './list.ts'

// Delegates: one vote per seat, and separation of duties applies to the delegator as well.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  onDecided('tool_call', async () => undefined)
  await running.queue.work([expiry])
})
afterAll(() => running.close())

let tenant: TestTenant
let maria: Caller
let anna: Caller
let jonas: Caller
let omar: Caller
let paul: Caller
beforeEach(async () => {
  tenant = await testTenant(running)
  const approver = (name: string, groups: string[]) => tenant.as(name, { roles: ['approver'], groups })
  maria = await tenant.as('maria', { roles: ['developer', 'approver'], groups: [group] })
  anna = await approver('anna', [group])
  jonas = await approver('jonas', [group])
  omar = await approver('omar', [])
  paul = await approver('paul', [])
})

const call = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown): Promise<O> =>
  execute(operation, caller, input, { name: 'test' })
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()
const delegate = (from: Caller, to: Caller, changes: object = {}) =>
  call(create, from, { delegate: to.principal.username, until: hours(48), reason: 'Holidays.', ...changes })
const vote = (caller: Caller, approvalId: string, decision = 'approve') =>
  call(decide, caller, { approvalId, decision, decisionAcknowledged: true, reason: 'Read and found right.' })

const ask = async (by: Caller, quorum = 1): Promise<string> => (await askForRefund(tenant, by, { quorum })).approvalId

describe('during a delegation', () => {
  test('the delegate decides on behalf of the delegator, as recorded with the vote', async () => {
    const approvalId = await ask(maria)
    await expect(vote(omar, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
    await delegate(anna, omar)
    expect((await call(getPending, omar, { view: 'needs-me' })).items.map((item) => item.approvalId)).toEqual([
      approvalId,
    ])
    expect(await call(get, omar, { approvalId })).toMatchObject({ eligible: true, standsInFor: { username: 'anna' } })
    const answer = await vote(omar, approvalId)
    expect(answer).toMatchObject({ status: 'approved', onBehalfOf: { displayName: 'anna' } })
    expect((await call(get, jonas, { approvalId })).votes).toMatchObject([
      { by: { username: 'omar' }, onBehalfOf: { username: 'anna' }, decision: 'approve' },
    ])
  })

  test('everyone who reads the request sees who can decide in whose place, until it is decided', async () => {
    const approvalId = await ask(maria)
    await delegate(anna, omar)
    await delegate(jonas, omar)
    await delegate(anna, maria)
    const delegates = async (caller: Caller) =>
      (await call(get, caller, { approvalId })).delegates.map(({ by, onBehalfOf }) => [
        by.username,
        onBehalfOf.username,
      ])
    // Maria made the request.
    for (const caller of [paul, jonas, maria])
      expect(await delegates(caller)).toEqual([
        ['omar', 'anna'],
        ['omar', 'jonas'],
      ])
    await vote(jonas, approvalId)
    expect(await delegates(paul)).toEqual([])
  })

  test('delegator and delegate share one vote, in either order', async () => {
    await delegate(anna, omar)
    await delegate(anna, paul)
    const first = await ask(maria, 2)
    expect((await vote(omar, first)).status).toBe('pending')
    await expect(vote(anna, first)).rejects.toMatchObject({
      code: 'already_voted',
      message: 'omar has already decided this request in your place.',
    })
    await expect(vote(paul, first)).rejects.toMatchObject({ code: 'already_voted' })
    await expect(vote(omar, first)).rejects.toMatchObject({ code: 'already_voted' })
    expect((await call(getPending, anna, { view: 'needs-me' })).items).toEqual([])
    expect((await call(getPending, paul, { view: 'needs-me' })).items).toEqual([])
    expect((await vote(jonas, first)).status).toBe('approved')
    const second = await ask(maria, 2)
    await vote(anna, second)
    await expect(vote(omar, second)).rejects.toMatchObject({ code: 'already_voted' })
  })

  test('concurrent votes of two delegates for one seat count once', async () => {
    await delegate(anna, omar)
    await delegate(anna, paul)
    const approvalId = await ask(maria, 2)
    const results = await Promise.allSettled([vote(omar, approvalId), vote(paul, approvalId), vote(anna, approvalId)])
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    expect((await call(get, jonas, { approvalId })).approvalsSoFar).toBe(1)
  })

  test('an unknown delegate is refused with one sentence', async () => {
    const message = 'No active member has this id, user name or e-mail address.'
    const asked = call(create, anna, { delegate: 'unknown', until: hours(48), reason: 'Holidays.' })
    await expect(asked).rejects.toMatchObject({ message, issues: [{ path: 'delegate', message }] })
  })

  test('a delegate cannot delegate further, and a member of the group votes in their own right', async () => {
    await delegate(anna, omar)
    await delegate(omar, paul)
    await delegate(anna, jonas)
    const approvalId = await ask(maria, 2)
    await expect(vote(paul, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
    expect((await vote(jonas, approvalId)).onBehalfOf).toBeUndefined()
    expect(await vote(omar, approvalId)).toMatchObject({ status: 'approved', onBehalfOf: { displayName: 'anna' } })
  })
})

test('the same delegate is not named twice for the same time, even at once, but again after the end', async () => {
  const { delegation } = await delegate(anna, omar, { until: hours(48) })
  const conflict = { code: 'conflict', message: expect.stringContaining('omar is already your delegate from') }
  await expect(delegate(anna, omar, { from: hours(24), until: hours(72) })).rejects.toMatchObject(conflict)
  // Before or after it, from another person, or to another one.
  await delegate(anna, omar, { from: delegation.until, until: hours(72) })
  await delegate(jonas, omar)
  await delegate(anna, paul)
  await call(end, anna, { id: delegation.id })
  const both = await Promise.allSettled([1, 2].map(() => delegate(anna, omar, { until: hours(24) })))
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('the answer says that a delegate who is in all groups of the delegator decides anyway', async () => {
  expect(await delegate(anna, omar)).not.toHaveProperty('decidesAnyway')
  expect(await delegate(anna, jonas)).toMatchObject({ decidesAnyway: true, delegation: { status: 'active' } })
  expect(await delegate(omar, jonas)).toMatchObject({ decidesAnyway: true })
  const both = await tenant.as('both', { roles: ['approver'], groups: [group, 'another-group'] })
  expect(await delegate(both, jonas)).not.toHaveProperty('decidesAnyway')
})

describe('separation of duties', () => {
  test('prevents a delegate of the requester from deciding', async () => {
    await delegate(maria, omar)
    const approvalId = await ask(maria)
    await expect(vote(omar, approvalId)).rejects.toMatchObject({
      code: 'separation_of_duties',
      message: 'You are the delegate of maria, who caused this request, so someone else must decide.',
    })
    expect((await call(get, omar, { approvalId })).blocked?.code).toBe('separation_of_duties')
    expect((await call(getPending, omar, { view: 'needs-me' })).items).toEqual([])
  })

  test('prevents a delegate from deciding when the requester is a service account of the delegator', async () => {
    const machine = await tenant.as('ci', {
      roles: ['developer'],
      kind: 'service_account',
      createdBy: maria.principal.memberId,
    })
    await delegate(maria, omar)
    await expect(vote(omar, await ask(machine))).rejects.toMatchObject({ code: 'separation_of_duties' })
  })

  test('prevents the requester from deciding as the delegate of another', async () => {
    await delegate(anna, maria)
    await delegate(anna, omar)
    await expect(vote(maria, await ask(maria))).rejects.toMatchObject({ code: 'separation_of_duties' })
    await expect(vote(omar, await ask(omar))).rejects.toMatchObject({ code: 'separation_of_duties' })
  })

  test('allows a delegate to decide for another delegator whose vote is not cast', async () => {
    await delegate(maria, omar)
    await delegate(anna, omar)
    expect(await vote(omar, await ask(maria))).toMatchObject({ onBehalfOf: { displayName: 'anna' } })
  })
})

describe('a delegation does not apply', () => {
  test('before it starts, after it ends and once it was ended early', async () => {
    const approvalId = await ask(maria)
    const refused = () => expect(vote(omar, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
    const { delegation } = await delegate(anna, omar, { from: hours(1) })
    expect(delegation.status).toBe('planned')
    await refused()
    const set = (column: string, value: string) =>
      asOwner(running, `update approver_delegations set ${column} = now() + $2::interval where id = $1`, [
        delegation.id,
        value,
      ])
    await set('from_at', '-2 hours')
    await set('until_at', '-1 second')
    await refused()
    await set('until_at', '1 hour')
    expect((await call(end, omar, { id: delegation.id, expectedRevision: 1 })).delegation.status).toBe('ended')
    await refused()
    await expect(call(end, anna, { id: delegation.id })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('when the delegator is suspended, has left the group or can no longer decide', async () => {
    await delegate(anna, omar)
    const approvalId = await ask(maria)
    const id = anna.principal.memberId
    const refused = () => expect(vote(omar, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
    await asOwner(running, `update members set status = 'suspended' where id = $1`, [id])
    await refused()
    await asOwner(running, `update members set status = 'active', roles = '{viewer}' where id = $1`, [id])
    await refused()
    await asOwner(running, `update members set roles = '{approver}' where id = $1`, [id])
    await asOwner(running, 'delete from approver_group_members where member_id = $1', [id])
    await refused()
  })
})

describe('creating and ending a delegation', () => {
  test('requires an approver as the delegate, a period in the future and a reason', async () => {
    const viewer = await tenant.as('vic', { roles: ['viewer'] })
    const bot = await tenant.as('bot', { roles: ['decisions:write'], kind: 'service_account' })
    const stranger = await (await testTenant(running)).as('eve', { roles: ['approver'] })
    await expect(delegate(anna, viewer)).rejects.toMatchObject({ code: 'conflict' })
    await expect(delegate(anna, bot, { delegate: bot.principal.memberId })).rejects.toMatchObject({ code: 'conflict' })
    // Only people are found by name.
    await expect(delegate(anna, bot)).rejects.toMatchObject({ code: 'bad_request' })
    await expect(delegate(anna, anna)).rejects.toMatchObject({ code: 'bad_request' })
    await expect(delegate(anna, stranger)).rejects.toMatchObject({ code: 'bad_request' })
    await expect(delegate(viewer, omar)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(delegate(bot, omar)).rejects.toMatchObject({ code: 'forbidden' })
    for (const changes of [{ until: hours(-1) }, { from: hours(5), until: hours(4) }, { until: hours(24 * 93) }])
      await expect(delegate(anna, omar, changes)).rejects.toMatchObject({ code: 'bad_request' })
    await expect(delegate(anna, omar, { reason: ' ' })).rejects.toThrow()
    await expect(delegate(anna, omar, { delegate: omar.principal.memberId })).resolves.toBeDefined()
    await expect(delegate(jonas, omar, { delegate: `omar@${tenant.slug}.example` })).resolves.toBeDefined()
  })

  test('is visible to approvers of the tenant, and reserved to the delegator and the delegate', async () => {
    const { delegation } = await delegate(anna, omar)
    expect((await call(list, jonas, {})).items).toEqual([delegation])
    expect((await call(list, jonas, { mine: true })).items).toEqual([])
    expect((await call(list, omar, { mine: true })).items).toHaveLength(1)
    const elsewhere = await (await testTenant(running)).as('eve', { roles: ['approver'] })
    expect((await call(list, elsewhere, {})).items).toEqual([])
    await expect(call(end, elsewhere, { id: delegation.id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(call(end, jonas, { id: delegation.id })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(call(end, anna, { id: delegation.id, expectedRevision: 9 })).rejects.toMatchObject({
      code: 'revision_conflict',
    })
    expect((await call(end, anna, { id: delegation.id })).delegation).toMatchObject({ status: 'ended', revision: 2 })
  })
})
