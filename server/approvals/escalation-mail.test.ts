import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { mailing } from '#server/mail/jobs.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { answer } from './answer.ts'
import { ask } from './ask.ts'
import { decide } from './decide.ts'
import { insertDelegation } from './delegations/store.ts'
import { expiry } from './jobs.ts'
import { list } from './mails/list.ts'
import { requestChanges } from './revisions/request-changes.ts'

let smtp: TestSmtp
let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  smtp = await startSmtp()
  running = await testRuntime({ environment: { SMTP_URL: smtp.url } })
  await running.queue.work([expiry, mailing])
})
afterAll(async () => {
  await running.close()
  await smtp.close()
})

test('an escalation sends mail with the new group to its eligible reviewers only', async () => {
  const tenant = await testTenant(running)
  const approver = (name: string, groups: string[]) => tenant.as(name, { roles: ['approver'], groups })
  // The requester and a service account in the group are not eligible.
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'], groups: ['escalation'] })
  await tenant.as('robot', { roles: ['approver'], kind: 'service_account', groups: ['escalation'] })
  const jonas = await approver('jonas', [approverGroup])
  await approver('lea', ['escalation'])
  await approver('noor', ['escalation'])
  const { approvalId } = await askForRefund(tenant, maria)
  const told = (caller: Caller) => execute(list, caller, { approvalId }, { name: 'approvals.mails.list' })
  expect((await told(jonas)).items.map(({ to }) => to.username)).toEqual(['jonas'])

  const vote = { approvalId, decision: 'escalate', decisionAcknowledged: true, reason: 'Not mine to say.' }
  await execute(decide, jonas, vote, { name: 'approvals.decide' })
  const items = await until(async () => {
    const page = await told(jonas)
    return page.items.every(({ delivery }) => delivery === 'delivered') ? page.items : undefined
  }, 'the mails were delivered')
  expect(items.map(({ to }) => to.username).sort()).toEqual(['jonas', 'lea', 'noor'])
  const texts = ['lea', 'noor'].map((name) => smtp.received.filter(({ to }) => to.startsWith(`${name}@`)))
  for (const mine of texts) {
    expect(mine).toHaveLength(1)
    expect(mine[0]?.text).toMatch(/^Subject: Escalated to you: Issue refund for A-1\r?$/m)
    expect(mine[0]?.text).toContain(`/t/${tenant.externalId}/approvals/${approvalId}?organisation=`)
  }
  expect(smtp.received.find(({ to }) => to.startsWith('jonas@'))?.text).toMatch(/^Subject: Decision requested: /m)
})

test('a rejected escalation sends no mail', async () => {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer'] })
  const jonas = await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] })
  const { approvalId } = await askForRefund(tenant, maria)
  const vote = { approvalId, decision: 'escalate', decisionAcknowledged: true, reason: 'Not mine to say.' }
  await expect(execute(decide, jonas, vote, { name: 'approvals.decide' })).rejects.toMatchObject({
    code: 'no_eligible_approver',
  })
  const { items } = await execute(list, jonas, { approvalId }, { name: 'approvals.mails.list' })
  expect(items.map(({ to }) => to.username)).toEqual(['jonas'])
})

test('the delegate of an approver is told, unless they made the request or can’t decide', async () => {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'] })
  const jonas = await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] })
  const anna = await tenant.as('anna', { roles: ['approver'] })
  const omar = await tenant.as('omar', { roles: ['auditor'] })
  await tenant.as('lea', { roles: ['approver'], groups: [approverGroup] })
  for (const { principal } of [anna, maria, omar])
    await running.database.inTenant(tenant.id, (tx) =>
      insertDelegation(tx, {
        tenantId: tenant.id,
        id: newId(),
        delegatorId: jonas.principal.memberId,
        delegateId: principal.memberId,
        fromAt: new Date(Date.now() - 1000),
        untilAt: new Date(Date.now() + 3_600_000),
        reason: 'Away.',
      }),
    )
  const { approvalId } = await askForRefund(tenant, maria)
  const page = await until(async () => {
    const found = await execute(list, jonas, { approvalId }, { name: 'approvals.mails.list' })
    return found.items.every(({ delivery }) => delivery === 'delivered') ? found : undefined
  }, 'the mails were delivered')
  expect(page.items.map(({ to }) => to.username).sort()).toEqual(['anna', 'jonas', 'lea'])
  const theirs = smtp.received.find(({ to, text }) => to.startsWith('anna@') && text.includes(approvalId))
  expect(theirs?.text).toContain('the delegate of')
})

test('questions, answers and requested changes are mailed to the person concerned, without their texts', async () => {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'] })
  const robot = await tenant.as('robot', {
    roles: ['developer'],
    kind: 'service_account',
    createdBy: maria.principal.memberId,
  })
  const jonas = await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] })
  const { approvalId } = await askForRefund(tenant, robot)
  const { questionId } = await execute(
    ask,
    jonas,
    { approvalId, question: 'Is it settled?' },
    { name: 'approvals.ask' },
  )
  await execute(answer, maria, { approvalId, questionId, answer: 'Since Monday.' }, { name: 'approvals.answer' })
  const changes = { approvalId, reason: 'Half of it.' }
  await execute(requestChanges, jonas, changes, { name: 'approvals.requestChanges' })
  const mails = await until(async () => {
    const mine = smtp.received.filter(({ text }) => text.includes(approvalId))
    return Promise.resolve(mine.length < 4 ? undefined : mine)
  }, 'the mails were delivered')
  const subjects = mails.map(({ to, text }) => `${to.replace(/@.*/, '')}: ${/^Subject: ([^:]*)/m.exec(text)?.[1]}`)
  expect(subjects.sort()).toEqual([
    'jonas: Decision requested',
    'jonas: Your question was answered',
    'maria: A reviewer asks',
    'maria: Changes requested',
  ])
  for (const { text } of mails) expect(text).not.toMatch(/settled|Monday|Half/)
})
