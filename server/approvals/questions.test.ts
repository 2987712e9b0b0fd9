import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { recheckRows } from '#server/kernel/bound/recheck.ts'
import { execute } from '#server/kernel/operation.ts'
import { askForRefund, approverGroup as group } from '#server/testing/approval-request.ts'
import { asOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { answer } from './answer.ts'
import { ask } from './ask.ts'
import { decide } from './decide.ts'
import { get } from './get.ts'
import { expiry } from './jobs.ts'
import { onDecided } from './subjects.ts'

// Questions of reviewers and the answers to them, on the real database.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  // Nothing here waits for a decision.
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry])
})
afterAll(() => running.close())

async function scene() {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'] })
  const jonas = await tenant.as('jonas', { roles: ['approver'], groups: [group] })
  const omar = await tenant.as('omar', { roles: ['approver'] })
  const { approvalId } = await askForRefund(tenant, maria)
  return { tenant, maria, jonas, omar, approvalId }
}
const asks = (caller: Caller, approvalId: string, question = 'Is the claim settled?') =>
  execute(ask, caller, { approvalId, question }, { name: 'approvals.ask' })
const answers = (caller: Caller, approvalId: string, questionId: string, text = 'Yes, on 4 March.') =>
  execute(answer, caller, { approvalId, questionId, answer: text }, { name: 'approvals.answer' })
const read = (caller: Caller, approvalId: string) => execute(get, caller, { approvalId }, { name: 'approvals.get' })

test('a reviewer asks, the requester answers once, and both are on the record', async () => {
  const { tenant, maria, jonas, approvalId } = await scene()
  expect(await adoptTenant(tenant.id)).toBe(true)
  const before = await read(jonas, approvalId)
  const asked = await asks(jonas, approvalId)
  expect(await read(maria, approvalId)).toMatchObject({
    mayAnswer: true,
    revision: before.revision,
    expiresAt: before.expiresAt,
    questions: [{ id: asked.questionId, by: { username: 'jonas' }, question: 'Is the claim settled?', answer: null }],
  })
  const given = await answers(maria, approvalId, asked.questionId)
  await expect(answers(maria, approvalId, asked.questionId, 'No.')).rejects.toMatchObject({ code: 'conflict' })
  const after = await read(jonas, approvalId)
  expect(after).toMatchObject({
    mayAnswer: false,
    questions: [{ answer: { by: { username: 'maria' }, text: 'Yes, on 4 March.', auditId: given.auditId } }],
  })
  expect(await recheckRows(tenant.id)).toEqual([])
})

test('only those who can decide ask, and only those who made the request answer', async () => {
  const { maria, jonas, omar, approvalId } = await scene()
  await expect(asks(maria, approvalId)).rejects.toMatchObject({ code: 'separation_of_duties' })
  await expect(asks(omar, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
  const { questionId } = await asks(jonas, approvalId)
  await expect(answers(jonas, approvalId, questionId)).rejects.toMatchObject({ code: 'not_eligible' })
  await expect(answers(maria, approvalId, approvalId)).rejects.toMatchObject({ code: 'not_found' })
})

test('nothing is asked or answered after the decision, or without an end', async () => {
  const { maria, jonas, approvalId } = await scene()
  const questions = []
  for (let n = 1; n <= 20; n += 1) questions.push(await asks(jonas, approvalId, `Question ${n}?`))
  await expect(asks(jonas, approvalId)).rejects.toMatchObject({ code: 'conflict' })
  await execute(
    decide,
    jonas,
    { approvalId, decision: 'reject', decisionAcknowledged: true, reason: 'No answer.' },
    { name: 'approvals.decide' },
  )
  await expect(asks(jonas, approvalId)).rejects.toMatchObject({ code: 'already_decided' })
  await expect(answers(maria, approvalId, questions[0]?.questionId ?? '')).rejects.toMatchObject({
    code: 'already_decided',
  })
})

test('an answer that someone wrote into the database is not shown', async () => {
  const { tenant, maria, jonas, approvalId } = await scene()
  expect(await adoptTenant(tenant.id)).toBe(true)
  const { questionId } = await asks(jonas, approvalId)
  await answers(maria, approvalId, questionId, 'It is not settled.')
  await asOwner(running, "update approval_questions set answer = 'It is settled.' where id = $1", [questionId])
  await expect(read(jonas, approvalId)).rejects.toMatchObject({ code: 'integrity_failed' })
})

test('a request of another tenant is not found', async () => {
  const [{ approvalId }, other] = [await scene(), await scene()]
  await expect(asks(other.jonas, approvalId)).rejects.toMatchObject({ code: 'not_found' })
  await expect(answers(other.maria, approvalId, approvalId)).rejects.toMatchObject({ code: 'not_found' })
})
