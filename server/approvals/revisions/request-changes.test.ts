import { afterAll, beforeAll, expect, test } from 'vitest'
import { decide } from '#server/approvals/decide.ts'
import { get } from '#server/approvals/get.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { recheckRows } from '#server/kernel/bound/recheck.ts'
import { execute } from '#server/kernel/operation.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { asOwner } from '#server/testing/owner.ts'
import { countCases, sized } from '#server/testing/properties/counts.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { requestChanges } from './request-changes.ts'

// A request for changes ends a request, on the real database. What follows is in server/executions/revise.test.ts.

let running: Awaited<ReturnType<typeof testRuntime>>
const told: string[] = []
beforeAll(async () => {
  running = await testRuntime()
  onDecided('tool_call', (_tx, _tenant, { id, status }) => {
    told.push(`${id} ${status}`)
    return Promise.resolve()
  })
  await running.queue.work([expiry])
})
afterAll(() => running.close())

async function scene() {
  const tenant = await testTenant(running)
  return {
    tenant,
    maria: await tenant.as('maria', { roles: ['developer', 'approver'] }),
    jonas: await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] }),
    anna: await tenant.as('anna', { roles: ['approver'], groups: [approverGroup] }),
    omar: await tenant.as('omar', { roles: ['approver'] }),
  }
}
const asks = (caller: Caller, approvalId: string, more: object = {}) =>
  execute(
    requestChanges,
    caller,
    { approvalId, reason: 'At most what was paid.', ...more },
    { name: 'approvals.requestChanges' },
  )
const approves = (caller: Caller, approvalId: string) =>
  execute(
    decide,
    caller,
    { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Checked the order.' },
    { name: 'approvals.decide' },
  )
const read = (caller: Caller, approvalId: string) => execute(get, caller, { approvalId }, { name: 'approvals.get' })

test('is for those who can decide, and on the revision that they read', async () => {
  const { tenant, maria, jonas, omar } = await scene()
  const { approvalId } = await askForRefund(tenant, maria)
  await expect(asks(maria, approvalId)).rejects.toMatchObject({ code: 'separation_of_duties' })
  await expect(asks(omar, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
  await expect(asks(jonas, approvalId, { expectedRevision: 7 })).rejects.toMatchObject({ code: 'revision_conflict' })
  expect(await read(jonas, approvalId)).toMatchObject({ status: 'pending', changes: null })
})

test('waits for other arguments until the deadline, and then ends what waits for them', async () => {
  const { tenant, maria, jonas } = await scene()
  const { approvalId } = await askForRefund(tenant, maria, { expiresAfterSeconds: 2 })
  await asks(jonas, approvalId)
  expect(told).not.toContain(`${approvalId} canceled`)
  expect(await read(maria, approvalId)).toMatchObject({ status: 'canceled', changes: { mayRevise: true } })
  await until(() => Promise.resolve(told.includes(`${approvalId} canceled`) || undefined), 'the end')
  expect(await read(maria, approvalId)).toMatchObject({ changes: { mayRevise: false } })
})

test('and an approval at the same time: one of the two ends the request', async (context) => {
  const { tenant, maria, jonas, anna } = await scene()
  const rounds = sized(1000, 10)
  for (let round = 0; round < rounds; round++) {
    const { approvalId } = await askForRefund(tenant, maria)
    const [asked, approved] = await Promise.allSettled([asks(jonas, approvalId), approves(anna, approvalId)])
    expect([asked.status, approved.status].sort()).toEqual(['fulfilled', 'rejected'])
    const { status, changes } = await read(jonas, approvalId)
    expect([status, changes === null]).toEqual(asked.status === 'fulfilled' ? ['canceled', false] : ['approved', true])
  }
  countCases(context, rounds)
}, 1_200_000)

test('is bound to the log: a reason that was changed by SQL is not shown', async () => {
  const { tenant, maria, jonas } = await scene()
  expect(await adoptTenant(tenant.id)).toBe(true)
  const { approvalId } = await askForRefund(tenant, maria)
  await asks(jonas, approvalId)
  expect(await recheckRows(tenant.id)).toEqual([])
  await asOwner(running, "update approval_revisions set reason = 'Twice as much.' where approval_id = $1", [approvalId])
  await expect(read(maria, approvalId)).rejects.toMatchObject({ code: 'integrity_failed' })
})
