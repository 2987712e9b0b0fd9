import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateSettings } from '#server/access/update-settings.ts'
import { decide } from '#server/approvals/decide.ts'
import { get } from '#server/approvals/get.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { oversight } from '#server/approvals/oversight.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { list as listRecords } from '#server/audit/list.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { askForRefund, approverGroup as group } from '#server/testing/approval-request.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { open } from './open.ts'

// The time to read that a tenant requires, on the real database.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  // Nothing here waits for a decision.
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry])
})
afterAll(() => running.close())

async function scene(readingSeconds: number | null) {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'] })
  const jonas = await tenant.as('jonas', { roles: ['approver'], groups: [group] })
  const admin = await tenant.as('tom', { roles: ['tenant_admin', 'auditor'] })
  if (readingSeconds !== null) await sets(admin, readingSeconds, 1)
  // A caller carries the settings of its tenant.
  const settings = { readingSeconds }
  const now = (caller: Caller): Caller => ({ ...caller, tenant: { ...caller.tenant, settings } })
  return { tenant, maria: now(maria), jonas: now(jonas), admin: now(admin) }
}
const sets = (caller: Caller, readingSeconds: number | null, expectedRevision: number) =>
  execute(updateSettings, caller, { readingSeconds, expectedRevision }, { name: 'tenants.updateSettings' })
const opens = (caller: Caller, approvalId: string) => execute(open, caller, { approvalId }, { name: 'approvals.open' })
const reads = (caller: Caller, approvalId: string) => execute(get, caller, { approvalId }, { name: 'approvals.get' })
const decides = (caller: Caller, approvalId: string, decision = 'approve') =>
  execute(
    decide,
    caller,
    { approvalId, decision, decisionAcknowledged: true, reason: 'Agreed.' },
    { name: 'approvals.decide' },
  )

test('a request that was not opened, or just now, can’t be approved', async () => {
  const { tenant, maria, jonas, admin } = await scene(600)
  const { approvalId } = await askForRefund(tenant, maria)
  expect((await reads(jonas, approvalId)).reading).toEqual({ seconds: 600, openedAt: null, approvableAt: null })
  await expect(decides(jonas, approvalId)).rejects.toMatchObject({
    code: 'not_read',
    message: expect.stringContaining('read it for at least 600 seconds'),
    details: { reading: { openedAt: null } },
  })
  const opened = await opens(jonas, approvalId)
  expect(opened.auditId).not.toBeNull()
  await expect(decides(jonas, approvalId)).rejects.toMatchObject({
    code: 'not_read',
    message: expect.stringMatching(/You can approve it in (600|59\d) s\./),
  })
  const { reading } = await reads(jonas, approvalId)
  if (reading?.openedAt == null || reading.approvableAt === null) throw new Error('The opening is not on the record.')
  expect(Date.parse(reading.approvableAt) - Date.parse(reading.openedAt)).toBe(600_000)
  // Opening it again doesn't start the time again, and is not recorded.
  expect(await opens(jonas, approvalId)).toEqual({ approvalId, reading, auditId: null })
  const { items } = await execute(listRecords, admin, { resourceId: approvalId }, { name: 'audit.list' })
  expect(items.map(({ type }) => type).sort()).toEqual([
    'approval.approve.refused',
    'approval.approve.refused',
    'approval.opened',
    'approval.requested',
  ])
})

test('after the time it can be approved, by the one who has opened it', async () => {
  const { tenant, maria, jonas } = await scene(1)
  const vera = await tenant.as('vera', { roles: ['approver'], groups: [group] })
  const { approvalId } = await askForRefund(tenant, maria)
  await opens(jonas, approvalId)
  const outcome = (caller: Caller) =>
    decides(caller, approvalId).then(
      ({ status }) => status,
      ({ code }) => code,
    )
  await expect.poll(() => outcome(jonas)).toBe('approved')
  const other = await askForRefund(tenant, maria)
  await opens(jonas, other.approvalId)
  await expect(decides({ ...vera, tenant: jonas.tenant }, other.approvalId)).rejects.toMatchObject({ code: 'not_read' })
})

test('rejecting takes no time, nor does a request of low or medium risk', async () => {
  const { tenant, maria, jonas } = await scene(600)
  const high = await askForRefund(tenant, maria)
  expect(await decides(jonas, high.approvalId, 'reject')).toMatchObject({ status: 'rejected' })
  for (const risk of ['low', 'medium'] as const) {
    const { approvalId } = await askForRefund(tenant, maria, { risk })
    expect(await opens(jonas, approvalId)).toEqual({ approvalId, reading: null, auditId: null })
    expect(await decides(jonas, approvalId)).toMatchObject({ status: 'approved' })
  }
  const critical = await askForRefund(tenant, maria, { risk: 'critical' })
  await expect(decides(jonas, critical.approvalId)).rejects.toMatchObject({ code: 'not_read' })
})

test('a tenant without such a time records no openings', async () => {
  const { tenant, maria, jonas, admin } = await scene(null)
  const { approvalId } = await askForRefund(tenant, maria)
  expect(await opens(jonas, approvalId)).toEqual({ approvalId, reading: null, auditId: null })
  expect(await decides(jonas, approvalId)).toMatchObject({ status: 'approved' })
  expect(await execute(oversight, admin, {}, { name: 'approvals.oversight' })).toMatchObject({ readingSeconds: null })
})

test('a longer time applies at once, a shorter one needs an approval, and auditors see it', async () => {
  const { tenant, admin } = await scene(30)
  await tenant.as('vera', { roles: ['approver'], groups: ['change-approvers'] })
  expect(await execute(oversight, admin, {}, { name: 'approvals.oversight' })).toMatchObject({ readingSeconds: 30 })
  const longer = await sets(admin, 60, 2)
  expect(longer).toMatchObject({ settings: { readingSeconds: 60 }, change: null })
  const none = await sets(admin, null, longer.revision)
  expect(none.settings.readingSeconds).toBe(60)
  expect(none.change).not.toBeNull()
})
