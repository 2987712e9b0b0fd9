import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvalMoments } from '#server/approvals/clock/run-moments.ts'
import { decide } from '#server/approvals/decide.ts'
import { get } from '#server/approvals/get.ts'
import { getPending } from '#server/approvals/get-pending.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { list as mails } from '#server/approvals/mails/list.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { recheckRows } from '#server/kernel/bound/recheck.ts'
import { execute } from '#server/kernel/operation.ts'
import { canSeat } from '#server/tenants/approvers/eligible.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { countCases, sized } from '#server/testing/properties/counts.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'

// Requests that one group decides after the other, on the real database.

let running: Awaited<ReturnType<typeof testRuntime>>
const told: string[] = []
beforeAll(async () => {
  running = await testRuntime()
  onDecided('tool_call', (_tx, _tenant, { id, status }) => {
    told.push(`${id} ${status}`)
    return Promise.resolve()
  })
  await running.queue.work([expiry, approvalMoments])
})
afterAll(() => running.close())

async function scene() {
  const tenant = await testTenant(running)
  const person = (name: string, ...groups: string[]) => tenant.as(name, { roles: ['approver'], groups })
  return {
    tenant,
    maria: await tenant.as('maria', { roles: ['developer', 'approver'] }),
    jonas: await person('jonas', approverGroup),
    both: await person('both', approverGroup, 'finance'),
    fay: await person('fay', 'finance'),
    esther: await person('esther', 'escalation'),
  }
}
const staged = { later: [{ group: 'finance', quorum: 1 }] }
const vote = (caller: Caller, approvalId: string, decision = 'approve') =>
  execute(
    decide,
    caller,
    { approvalId, decision, decisionAcknowledged: true, reason: 'Checked the order.' },
    { name: 'approvals.decide' },
  )
const read = (caller: Caller, approvalId: string) => execute(get, caller, { approvalId }, { name: 'approvals.get' })
const needsMe = async (caller: Caller) =>
  (await execute(getPending, caller, { limit: 50, view: 'needs-me' }, { name: 'approvals.getPending' })).items.map(
    ({ approvalId }) => approvalId,
  )
const notified = async (caller: Caller, approvalId: string) =>
  (await execute(mails, caller, { approvalId }, { name: 'approvals.mails.list' })).items
    .map(({ to }) => to.username)
    .sort()

describe('stages', () => {
  test('are decided in order, each by its own group, and one person counts in one', async () => {
    const { tenant, maria, jonas, both, fay } = await scene()
    expect(await adoptTenant(tenant.id)).toBe(true)
    const { approvalId } = await askForRefund(tenant, maria, staged)
    expect(await read(fay, approvalId)).toMatchObject({
      blocked: { code: 'not_eligible' },
      quorum: 1,
      stages: [
        { groupName: approverGroup, status: 'current' },
        { groupName: 'finance', status: 'next' },
      ],
    })
    expect(await vote(both, approvalId)).toMatchObject({ status: 'pending', votes: 1, escalationLevel: 0 })
    expect(await notified(maria, approvalId)).toEqual(['both', 'both', 'fay', 'jonas'])
    expect(await read(both, approvalId)).toMatchObject({ blocked: { code: 'already_voted' }, approvalsSoFar: 0 })
    await expect(vote(both, approvalId)).rejects.toMatchObject({ code: 'already_voted' })
    await expect(vote(jonas, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
    expect(await needsMe(both)).toEqual([])
    expect(await needsMe(fay)).toEqual([approvalId])
    expect(await vote(fay, approvalId)).toMatchObject({ status: 'approved' })
    expect(told).toContain(`${approvalId} approved`)
    const { stages, votes } = await read(fay, approvalId)
    expect(stages.map(({ status }) => status)).toEqual(['approved', 'approved'])
    expect(votes.map(({ by, stage }) => [by.username, stage])).toEqual([
      ['both', 0],
      ['fay', 1],
    ])
    expect(await recheckRows(tenant.id)).toEqual([])
  })

  test('end with one rejection', async () => {
    const { tenant, maria, jonas, fay } = await scene()
    const { approvalId } = await askForRefund(tenant, maria, staged)
    await vote(jonas, approvalId)
    expect(await vote(fay, approvalId, 'reject')).toMatchObject({ status: 'rejected' })
    expect(told).toContain(`${approvalId} rejected`)
  })

  test('are escalated one by one: the escalation group decides in place of that stage alone', async () => {
    const { tenant, maria, jonas, fay, esther } = await scene()
    const { approvalId } = await askForRefund(tenant, maria, staged)
    expect(await vote(jonas, approvalId, 'escalate')).toMatchObject({ status: 'pending', escalationLevel: 1 })
    expect(await vote(esther, approvalId)).toMatchObject({ status: 'pending' })
    expect(await vote(fay, approvalId)).toMatchObject({ status: 'approved' })
    const { votes } = await read(fay, approvalId)
    expect(votes.map(({ by, stage, escalationLevel }) => [by.username, stage, escalationLevel])).toEqual([
      ['jonas', 0, 0],
      ['esther', 0, 1],
      ['fay', 1, 1],
    ])
  })

  test('decided by two people at once, count each vote for the stage that its person read', async (context) => {
    const { tenant, maria, jonas, both, fay } = await scene()
    const rounds = sized(1000, 10)
    for (let round = 0; round < rounds; round++) {
      const { approvalId } = await askForRefund(tenant, maria, staged)
      // The second vote meets the next stage, in which only one of the two can vote.
      const [, second] = await Promise.allSettled([vote(jonas, approvalId), vote(both, approvalId)])
      const shown = await read(fay, approvalId)
      const whole = second.status === 'fulfilled' && shown.votes.length === 2
      expect(shown.status).toBe(whole ? 'approved' : 'pending')
      expect(shown.stages[1]?.status).toBe(whole ? 'approved' : 'current')
    }
    countCases(context, rounds)
  }, 1_200_000)

  test('are refused when no two people could decide them', async () => {
    const tenant = await testTenant(running)
    const maria = await tenant.as('maria', { roles: ['developer', 'approver'] })
    await tenant.as('both', { roles: ['approver'], groups: [approverGroup, 'finance'] })
    await expect(askForRefund(tenant, maria, staged)).rejects.toMatchObject({
      code: 'no_eligible_approver',
      message: expect.stringContaining('one person counts in one stage'),
    })
    await expect(askForRefund(tenant, maria, { later: [{ group: 'nobody', quorum: 1 }] })).rejects.toMatchObject({
      code: 'no_eligible_approver',
    })
  })

  test.each([
    [[[1], [1]], false],
    [[[1, 2], [1]], true],
    [[[1], [1, 2], [2, 3]], true],
    [
      [
        [1, 2],
        [1, 2],
        [1, 2],
      ],
      false,
    ],
    [[[]], false],
  ])('seats %j: %s', (seats, possible) => {
    expect(canSeat(seats)).toBe(possible)
  })
})
