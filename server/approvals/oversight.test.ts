import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { asOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { approvalMoments } from './clock/run-moments.ts'
import { decide } from './decide.ts'
import { get } from './get.ts'
import { expiry } from './jobs.ts'
import { oversight } from './oversight.ts'
import { onDecided } from './subjects.ts'

// The figures about a group's decisions, from votes whose times the test sets.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  // Nothing here waits for a decision.
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry, approvalMoments])
})
afterAll(() => running.close())

async function people() {
  const tenant = await testTenant(running)
  const approver = (name: string) => tenant.as(name, { roles: ['approver'], groups: [approverGroup] })
  return {
    tenant,
    maria: await tenant.as('maria', { roles: ['developer'] }),
    jonas: await approver('jonas'),
    anna: await approver('anna'),
    fay: await tenant.as('fay', { roles: ['approver'], groups: ['finance'] }),
    esther: await tenant.as('esther', { roles: ['approver'], groups: ['escalation'] }),
    vera: await tenant.as('vera', { roles: ['auditor'] }),
  }
}
type People = Awaited<ReturnType<typeof people>>

const shown = ({ vera }: People, days = 30) => execute(oversight, vera, { days }, { name: 'approvals.oversight' })

const vote = (caller: Caller, approvalId: string, decision = 'approve') =>
  execute(
    decide,
    caller,
    { approvalId, decision, decisionAcknowledged: true, reason: 'Read.' },
    { name: 'approvals.decide' },
  )

/** Sets when the votes on a request were given, in their order: so many seconds after the request, which was an hour ago. */
async function timed(approvalId: string, ...seconds: number[]): Promise<void> {
  await asOwner(running, `update approvals set requested_at = now() - interval '1 hour' where id = $1`, [approvalId])
  await asOwner(
    running,
    `update approval_votes v set created_at = a.requested_at + make_interval(secs => ($2::float[])[ordered.place])
     from approvals a, (select id, row_number() over (order by id) as place from approval_votes where approval_id = $1) ordered
     where a.id = $1 and v.approval_id = $1 and v.id = ordered.id`,
    [approvalId, seconds],
  )
}

/** The figures of each group, by its name. */
const byGroup = async (all: People) =>
  Object.fromEntries(
    (await shown(all)).groups.map(({ group, decided, quick, medianSeconds, mostVotes }) => [
      group,
      { decided, quick, seconds: Math.round(medianSeconds ?? -1), most: mostVotes?.by.username },
    ]),
  )

/** A request of this length, decided after so many seconds. */
async function decided(
  all: People,
  {
    by = 'jonas',
    decision = 'approve',
    seconds,
    letters = 10,
  }: Partial<{ by: 'jonas' | 'anna' }> & {
    decision?: string
    seconds: number
    letters?: number
  },
): Promise<string> {
  const effects = ['x'.repeat(letters)]
  const { approvalId } = await askForRefund(all.tenant, all.maria, { shows: { effects } })
  await vote(all[by], approvalId, decision)
  await asOwner(
    running,
    `update approvals a set requested_at = v.created_at - make_interval(secs => $2) from approval_votes v
     where a.id = $1 and v.approval_id = a.id`,
    [approvalId, seconds],
  )
  return approvalId
}

test('the figures of a group are those of its votes', async () => {
  const all = await people()
  for (const seconds of [4, 8, 12]) await decided(all, { seconds })
  await decided(all, { seconds: 600, letters: 4000 })
  await decided(all, { seconds: 900, letters: 4000, by: 'anna', decision: 'reject' })
  const { groups } = await shown(all)
  expect(groups).toMatchObject([
    {
      decided: 5,
      approved: 4,
      rejected: 1,
      expired: 0,
      quick: 2,
      voters: 2,
      mostVotes: { by: { username: 'jonas' }, votes: 4 },
    },
  ])
  const [group] = groups
  expect(group?.medianSeconds).toBeCloseTo(12, 3)
  expect(group?.medianSecondsShort).toBeCloseTo(8, 3)
  expect(group?.medianSecondsLong).toBeCloseTo(750, 3)
})

const staged = { later: [{ group: 'finance', quorum: 1 }] }

test('each vote of a request with stages counts for the group of its stage, from when that stage began', async () => {
  const all = await people()
  const { approvalId } = await askForRefund(all.tenant, all.maria, staged)
  await vote(all.jonas, approvalId)
  await vote(all.fay, approvalId)
  await timed(approvalId, 600, 604)
  expect(await byGroup(all)).toEqual({
    [approverGroup]: { decided: 1, quick: 0, seconds: 600, most: 'jonas' },
    finance: { decided: 1, quick: 1, seconds: 4, most: 'fay' },
  })
})

test('an escalated stage counts for the escalation group, and the stages before and after it for their own', async () => {
  const all = await people()
  const { approvalId: first } = await askForRefund(all.tenant, all.maria, staged)
  await vote(all.jonas, first, 'escalate')
  await vote(all.esther, first)
  await vote(all.fay, first)
  await timed(first, 100, 105, 165)
  expect(await byGroup(all)).toEqual({
    Escalation: { decided: 1, quick: 1, seconds: 5, most: 'esther' },
    finance: { decided: 1, quick: 0, seconds: 60, most: 'fay' },
  })

  const { approvalId: second } = await askForRefund(all.tenant, all.maria, staged)
  await vote(all.jonas, second)
  await vote(all.fay, second, 'escalate')
  await vote(all.esther, second)
  await timed(second, 100, 300, 305)
  expect(await byGroup(all)).toEqual({
    [approverGroup]: { decided: 1, quick: 0, seconds: 100, most: 'jonas' },
    Escalation: { decided: 2, quick: 2, seconds: 5, most: 'esther' },
    finance: { decided: 1, quick: 0, seconds: 60, most: 'fay' },
  })
})

test('votes that an escalation made void don’t count', async () => {
  const all = await people()
  const { approvalId } = await askForRefund(all.tenant, all.maria, { quorum: 2 })
  await all.tenant.as('eric', { roles: ['approver'], groups: ['escalation'] })
  await vote(all.jonas, approvalId)
  await vote(all.anna, approvalId, 'escalate')
  await vote(all.esther, approvalId)
  await timed(approvalId, 50, 100, 120)
  expect(await byGroup(all)).toEqual({ Escalation: { decided: 1, quick: 0, seconds: 20, most: 'esther' } })
})

test('after an escalation by the clock, the time runs from its record', async () => {
  const all = await people()
  const { approvalId } = await askForRefund(all.tenant, all.maria, { escalateAfterSeconds: 1 })
  const level = async () =>
    (await execute(get, all.esther, { approvalId }, { name: 'approvals.get' })).escalationLevel === 1 || undefined
  await until(level, 'the escalation')
  await vote(all.esther, approvalId)
  await timed(approvalId, 0)
  await asOwner(
    running,
    `update approval_votes v set created_at = r.created_at + interval '6 seconds' from audit_records r
     where v.approval_id = $1 and r.type = 'approval.escalated' and r.resource_id = $2`,
    [approvalId, approvalId],
  )
  expect(await byGroup(all)).toEqual({ Escalation: { decided: 1, quick: 1, seconds: 6, most: 'esther' } })
})

test('votes before the period and of other tenants don’t count, and expired requests do', async () => {
  const [all, other] = [await people(), await people()]
  await decided(other, { seconds: 5 })
  const old = await decided(all, { seconds: 5 })
  await asOwner(
    running,
    `update approval_votes set created_at = created_at - interval '3 days' where approval_id = $1`,
    [old],
  )
  const { approvalId } = await askForRefund(all.tenant, all.maria)
  await asOwner(running, `update approvals set status = 'expired', decided_at = now() where id = $1`, [approvalId])
  expect((await shown(all, 2)).groups).toMatchObject([
    { decided: 0, expired: 1, medianSeconds: null, voters: 0, mostVotes: null },
  ])
})

test('a person without the permission sees no figures', async () => {
  const all = await people()
  await expect(shown({ ...all, vera: all.maria })).rejects.toMatchObject({ code: 'forbidden' })
})
