import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isJsonObject } from '#lib/json.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { startSmtp, type TestSmtp } from '#server/testing/fakes/smtp.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { cipherOfApi } from '#server/testing/tenant-cipher.ts'
import { until } from '#server/testing/until.ts'

let smtp: TestSmtp
let api: TestApi
let owner: Client
beforeAll(async () => {
  smtp = await startSmtp()
  api = await startApi({ SMTP_URL: smtp.url })
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 120_000)
afterAll(async () => {
  await owner.end()
  await api.close()
  await smtp.close()
})

const mailsOf = async (executionId: string) => {
  const { rows } = await owner.query<{ id: string; delivery: string; message: Buffer; attempts: number }>(
    `select mail.id, mail.delivery, mail.message, mail.attempts from mails mail join approvals approval
     on approval.tenant_id = mail.tenant_id and approval.id = mail.subject_id
     where approval.execution_id = $1 order by mail.id`,
    [executionId],
  )
  const cipher = await cipherOfApi(api)
  return rows.map(({ id, message, ...row }) => {
    const opened = cipher.decryptJson(message, contentContext('mails', [id], 'message'))
    return { ...row, recipient: isJsonObject(opened) ? String(opened.recipient) : '' }
  })
}

test('notifies people who could decide, without arguments of the call; a kill -9 sends nothing twice', async () => {
  const executions = executionsOf(api)
  const agentId = await releaseRefundAgent(api, 'mailing')
  const first = await executions.start(agentId, { orderId: 'A-1003' })
  const told = await until(async () => {
    const mails = await mailsOf(first)
    return mails.length > 0 && mails.every((mail) => mail.delivery === 'delivered') ? mails : undefined
  }, 'the mails were delivered')
  const { recipient } = told[0] ?? { recipient: '' }
  const message = smtp.received.find((one) => one.to === recipient && one.text.includes('/approvals/'))
  expect(message?.text).toContain('/t/org-northwind-mutual/approvals/')
  expect(message?.text).toContain('Auto-Submitted: auto-generated')
  expect(message?.text).toMatch(/Decide by: \d+ \w+ \d{4} at \d\d:\d\d:\d\d UTC/)
  expect(message?.text).toMatch(/^High risk\r?$/m)
  const texts = smtp.received.map(({ text }) => text).join('\n')
  expect(texts).toMatch(/^Requested by: Maria K=C3=B6hler\r?$/m)
  expect(message?.text).toMatch(/^From: "?Northwind Mutual \(Countersign\)"? <\S+@\S+>\r?$/m)
  expect(message?.text).toContain('Content-Type: text/html')
  // Only the request's arguments contain the refunded order.
  expect(message?.text).not.toContain('A-1003')

  // The server accepts the next message but does not respond: the process dies in the middle of the delivery.
  smtp.behave(recipient.split('@')[0] ?? '', 'silent-after-dot')
  const before = smtp.received.filter((one) => one.to === recipient).length
  const second = await executions.start(agentId, { orderId: 'A-1003' })
  await until(
    async () => (smtp.received.filter((one) => one.to === recipient).length > before ? true : undefined),
    'the message was transmitted',
  )
  await api.killAndRestart()
  const mail = await until(async () => {
    const found = (await mailsOf(second)).find((one) => one.recipient === recipient)
    return found?.delivery === 'unknown' ? found : undefined
  }, 'the outcome is unknown')
  expect(mail.attempts).toBe(1)
  expect(smtp.received.filter((one) => one.to === recipient)).toHaveLength(before + 1)
  // A message without a response keeps its slot for minutes, and three of them are the share of a tenant.
  smtp.behave(recipient.split('@')[0] ?? '', 'accept')
}, 90_000)

test('lists a mail of unknown outcome with its request, and sends it again only when a person requests it with a reason', async () => {
  const executions = executionsOf(api)
  const agentId = await releaseRefundAgent(api, 'asking-again')
  // An approver whom the server has notified of earlier requests.
  const recipient = await until(
    async () => smtp.received.find((one) => one.text.includes('/approvals/'))?.to,
    'an approver was notified',
  )
  smtp.behave(recipient.split('@')[0] ?? '', 'drop-after-dot')
  const executionId = await executions.start(agentId, { orderId: 'A-1003' })
  const approvalId = await until(
    async () => (await executions.get(executionId)).steps.find((step) => step.approvalId !== null)?.approvalId,
    'an approval was requested',
  )
  const [maria, omar, jonas] = [await api.person('maria'), await api.person('omar'), await api.person('jonas')]
  const unknownOnes = async (attempts: number) => {
    const { items } = payload<{ items: Mail[] }>(await api.query(maria, 'approvals.mails.list', { approvalId }))
    return items.find((one) => one.delivery === 'unknown' && one.attempts === attempts)
  }
  const mail = await until(() => unknownOnes(1), 'the outcome is unknown')
  expect(mail.error).toMatch(/did not respond/)
  expect(mail.to.kind).toBe('person')

  const again = { id: mail.id, expectedRevision: mail.revision, reason: 'They say that nothing came.' }
  expect((await api.mutate(maria, 'approvals.mails.retry', again)).status).toBe(403)
  const answer = await api.mutate(omar, 'approvals.mails.retry', again)
  expect(payload(answer)).toMatchObject({ id: mail.id, delivery: 'pending', revision: mail.revision + 1 })
  expect(reason(await api.mutate(omar, 'approvals.mails.retry', again))).toBe('revision_conflict')
  const second = await until(() => unknownOnes(2), 'it was sent again')
  // Each attempt has its own Message-ID, which contains the mail's id.
  expect(smtp.received.filter((one) => one.text.includes(`<${mail.id}.`))).toHaveLength(2)
  const { rows } = await owner.query<{ record: { reason: string } }>(
    `select record from audit_records where type = 'mail.retried' and record->'resource'->>'id' = $1`,
    [mail.id],
  )
  expect(rows.map(({ record }) => record.reason)).toEqual([again.reason])

  const decision = { approvalId, decision: 'reject', decisionAcknowledged: true, reason: 'Not this one.' }
  expect((await api.mutate(jonas, 'approvals.decide', decision)).status).toBe(200)
  const late = await api.mutate(omar, 'approvals.mails.retry', { ...again, expectedRevision: second.revision })
  expect([late.status, reason(late)]).toEqual([409, 'conflict'])
}, 90_000)

type Mail = {
  id: string
  to: { kind: string }
  delivery: string
  error: string | null
  attempts: number
  revision: number
}
