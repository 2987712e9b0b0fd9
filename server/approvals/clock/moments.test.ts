import { afterAll, beforeAll, expect, test } from 'vitest'
import { answer } from '#server/approvals/answer.ts'
import { ask } from '#server/approvals/ask.ts'
import { decide } from '#server/approvals/decide.ts'
import { get } from '#server/approvals/get.ts'
import { getPending } from '#server/approvals/get-pending.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { mailing } from '#server/mail/jobs.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { approvalMoments } from './run-moments.ts'

// Reminders, an escalation by itself and a clock that stops, on the real database and queue.

let smtp: TestSmtp
let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  smtp = await startSmtp()
  running = await testRuntime({ environment: { SMTP_URL: smtp.url } })
  // Nothing here waits for a decision.
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry, approvalMoments, mailing])
})
afterAll(async () => {
  await running.close()
  await smtp.close()
})

async function scene() {
  const tenant = await testTenant(running)
  const person = (name: string, ...groups: string[]) => tenant.as(name, { roles: ['approver'], groups })
  return {
    tenant,
    maria: await tenant.as('maria', { roles: ['developer', 'approver'] }),
    jonas: await person('jonas', approverGroup),
    both: await person('both', approverGroup, 'finance'),
    esther: await person('esther', 'escalation'),
  }
}
const vote = (caller: Caller, approvalId: string, decision = 'approve') =>
  execute(
    decide,
    caller,
    { approvalId, decision, decisionAcknowledged: true, reason: 'Checked the order.' },
    { name: 'approvals.decide' },
  )
const listed = async (caller: Caller, view: 'all' | 'expiring', approvalId: string) => {
  const { items } = await execute(getPending, caller, { view, limit: 100 }, { name: 'approvals.getPending' })
  return items.find((item) => item.approvalId === approvalId)
}
const read = (caller: Caller, approvalId: string) => execute(get, caller, { approvalId }, { name: 'approvals.get' })
const asks = (caller: Caller, approvalId: string) =>
  execute(ask, caller, { approvalId, question: 'Is the claim settled?' }, { name: 'approvals.ask' })
const answers = (caller: Caller, approvalId: string, questionId: string) =>
  execute(answer, caller, { approvalId, questionId, answer: 'Yes, on 4 March.' }, { name: 'approvals.answer' })
const records = async (tenant: TestTenant, action: string) =>
  (
    await runtime().database.inTenant(tenant.id, (tx) =>
      tx
        .selectFrom('auditRecords')
        .select('record')
        .where('tenantId', '=', tenant.id)
        .where('type', '=', action)
        .orderBy('seq')
        .execute(),
    )
  ).map(({ record }) => record as { details: Record<string, unknown> })
/** Who got mails with this subject about the request, in the order of their names. */
const mailed = (subject: string, approvalId: string, count: number) =>
  until(async () => {
    const found = smtp.received.filter(
      ({ text }) => text.includes(`Subject: ${subject}: `) && text.includes(approvalId),
    )
    return found.length < count ? undefined : found.map(({ to }) => to.replace(/@.*/, '')).sort()
  }, `${count} mails were sent`)

test('the clock reminds those who have not voted, and then escalates by itself, on the record', async () => {
  const { tenant, maria, jonas, esther } = await scene()
  const { approvalId } = await askForRefund(tenant, maria, {
    quorum: 2,
    expiresAfterSeconds: 60,
    remindAt: [2],
    escalateAfterSeconds: 3,
  })
  await vote(jonas, approvalId)
  expect(await read(jonas, approvalId)).toMatchObject({
    clock: { stopped: null, remindsAt: expect.any(String), escalatesAt: expect.any(String) },
  })
  await until(async () => (await records(tenant, 'approval.reminded')).length > 0 || undefined, 'the reminder')
  expect(await records(tenant, 'approval.reminded')).toMatchObject([
    { details: { percent: 2, group: approverGroup, people: 1 } },
  ])
  expect(await mailed('Reminder', approvalId, 1)).toEqual(['both'])
  // Two people are required, and one is in the escalation group.
  await until(
    async () => (await records(tenant, 'approval.escalation_failed')).length > 0 || undefined,
    'the failed escalation',
  )
  expect(await read(jonas, approvalId)).toMatchObject({ status: 'pending', escalationLevel: 0 })

  const other = await askForRefund(tenant, maria, { expiresAfterSeconds: 60, escalateAfterSeconds: 1 })
  await until(async () => (await read(esther, other.approvalId)).escalationLevel === 1 || undefined, 'the escalation')
  expect(await records(tenant, 'approval.escalated')).toMatchObject([
    { details: { group: 'escalation', escalationLevel: 1, afterSeconds: 1 } },
  ])
  expect(await mailed('Escalated to you', other.approvalId, 1)).toEqual(['esther'])
  await expect(vote(jonas, other.approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
  expect(await vote(esther, other.approvalId)).toMatchObject({ status: 'approved' })
})

test('the clock is stopped while a question is open, if the terms say so, and the deadline is later by that time', async () => {
  const { tenant, maria, jonas, both } = await scene()
  const { approvalId } = await askForRefund(tenant, maria, { expiresAfterSeconds: 2, pauseOnQuestion: true })
  const before = await read(jonas, approvalId)
  const first = await asks(jonas, approvalId)
  const second = await asks(both, approvalId)
  expect((await read(jonas, approvalId)).clock.stopped).toMatchObject({ by: 'question' })
  expect(await listed(jonas, 'all', approvalId)).toMatchObject({ clockStopped: true })
  expect(await listed(jonas, 'expiring', approvalId)).toBeUndefined()
  await until(() => Promise.resolve(Date.now() > Date.parse(before.expiresAt) + 500 || undefined), 'the first deadline')
  expect(await read(jonas, approvalId)).toMatchObject({ status: 'pending', blocked: null })
  await answers(maria, approvalId, first.questionId)
  expect((await read(jonas, approvalId)).clock.stopped).not.toBeNull()
  await answers(maria, approvalId, second.questionId)
  const after = await read(jonas, approvalId)
  expect(after.clock.stopped).toBeNull()
  expect(await listed(jonas, 'expiring', approvalId)).toMatchObject({ clockStopped: false })
  expect(Date.parse(after.expiresAt)).toBeGreaterThan(Date.now())
  await until(async () => (await read(jonas, approvalId)).status === 'expired' || undefined, 'the later deadline')
})

test('the clock runs during a question otherwise', async () => {
  const { tenant, maria, jonas } = await scene()
  const { approvalId } = await askForRefund(tenant, maria)
  await asks(jonas, approvalId)
  expect((await read(jonas, approvalId)).clock).toEqual({ stopped: null, escalatesAt: null, remindsAt: null })
})
