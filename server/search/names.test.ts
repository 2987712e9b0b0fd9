import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditSentence } from '#lib/audit/sentence.ts'
import { create as createAgent } from '#server/agents/create.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { queueMail } from '#server/mail/queue-mail.ts'
import { createPolicy } from '#server/policies/create.ts'
import { askForRefund } from '#server/testing/approval-request.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { names } from './names.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let vera: Caller
let maria: Caller
let objects: { type: string; id: string }[]
beforeAll(async () => {
  running = await testRuntime()
  await running.queue.work([expiry])
  tenant = await testTenant(running)
  maria = await tenant.as('maria', { roles: ['developer', 'approver'] })
  vera = await tenant.as('vera', { roles: ['auditor'] })
  await tenant.as('jonas', { roles: ['approver'], groups: ['refund-approvers'] })
  const shows = { title: 'Issue refund of €4,200.00 for A-1001', effectLabel: 'refund of €4,200.00' }
  const { approvalId } = await askForRefund(tenant, maria, { shows })
  const { agent } = await execute(createAgent, maria, { yaml: 'name: refunds' }, { name: 'x' })
  const policy = await execute(createPolicy, maria, { name: 'refund-policy' }, { name: 'x' })
  objects = [
    { type: 'approval', id: approvalId },
    { type: 'agent', id: agent.id },
    { type: 'policy', id: policy.id },
    { type: 'member', id: maria.principal.memberId },
  ]
})
afterAll(() => running.close())

const named = async (asked: object[], by = vera) =>
  Object.fromEntries(
    (await execute(names, by, { objects: asked }, { name: 'search.names' })).names.map(({ type, name }) => [
      type,
      name,
    ]),
  )

test('objects of records have names, and a request is named by its effect', async () => {
  expect(await named([...objects, ...objects])).toEqual({
    approval: 'refund of €4,200.00 for A-1001',
    agent: 'refunds',
    policy: 'refund-policy',
    member: 'maria',
  })
})

test('a mail is named by whom it is for, and a group of the provider also after it was deleted', async () => {
  const id = '01a20c00-0000-7000-8000-000000000001'
  const mailId = await running.database.inTenant(tenant.id, async (tx) => {
    await appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'provider_group.deleted',
      resource: { type: 'provider_group', id },
      details: { name: 'Risk' },
    })
    const { memberId } = maria.principal
    const to = { memberId, recipient: 'maria@x.example', language: 'en' as const }
    const mail = { kind: 'password_changed' as const, subjectId: memberId, ...to, subject: 'S', body: 'B' }
    return (await queueMail(tx, tenant, mail)).mailId
  })
  const asked = [
    { type: 'mail', id: mailId },
    { type: 'provider_group', id },
  ]
  expect(await named(asked)).toEqual({ mail: 'maria', provider_group: 'Risk' })
  const said = (type: string, place: number, name?: string) =>
    auditSentence({ type, actor: { type: 'system', name: 'CI' }, resource: asked[place] ?? { type: '', id: '' }, name })
  expect(said('mail.failed', 0, 'maria')).toBe('CI could not deliver a mail to maria')
  expect(said('mail.failed', 0)).toBe('CI could not deliver a mail')
  expect(said('provider_group.updated', 1, 'Risk')).toBe('CI changed the group Risk of the identity provider')
})

test('each kind needs its own permission, and the whole needs audit:read', async () => {
  const pia = await tenant.as('pia', { roles: ['privacy_officer'] })
  expect(await named(objects, pia)).toEqual({ member: 'maria' })
  await expect(named(objects, maria)).rejects.toMatchObject({ code: 'forbidden' })
})

test('what does not exist, is not an id, or is of another tenant or an unknown type is not named', async () => {
  const other = await (await testTenant(running)).as('omar', { roles: ['auditor'] })
  expect(await named(objects, other)).toEqual({})
  const odd = ['none', 'new', "'; drop table agents; --", '01a20c00-0000-7000-8000-000000000000']
  for (const id of odd)
    expect(await named(['agent', 'approval', 'member', 'trace', 'constructor'].map((type) => ({ type, id })))).toEqual(
      {},
    )
  await expect(named([])).rejects.toMatchObject({ code: 'validation_failed' })
})
