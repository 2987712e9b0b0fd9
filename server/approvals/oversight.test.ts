import { afterAll, beforeAll, expect, test } from 'vitest'
import { execute } from '#server/kernel/operation.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { asOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { decide } from './decide.ts'
import { expiry } from './jobs.ts'
import { oversight } from './oversight.ts'
import { onDecided } from './subjects.ts'

// The figures about a group's decisions, from votes whose times the test sets.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  // Nothing here waits for a decision.
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry])
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
    vera: await tenant.as('vera', { roles: ['auditor'] }),
  }
}
type People = Awaited<ReturnType<typeof people>>

const shown = ({ vera }: People, days = 30) => execute(oversight, vera, { days }, { name: 'approvals.oversight' })

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
  await execute(
    decide,
    all[by],
    { approvalId, decision, decisionAcknowledged: true, reason: 'Read.' },
    { name: 'approvals.decide' },
  )
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
