import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PersonalLanguage } from '#lib/languages.ts'
import { expiry } from '#server/approvals/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { findMailsAbout } from '#server/mail/store.ts'
import { me } from '#server/tenants/me.ts'
import { updateBranding } from '#server/tenants/update-branding.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { chooseLanguage } from './choose-language.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  await running.queue.work([expiry])
})
afterAll(() => running.close())

const choose = (caller: Caller, language: PersonalLanguage | null) =>
  execute(chooseLanguage, caller, { language }, { name: 'session.chooseLanguage' })
const chosenBy = async (caller: Caller) => (await execute(me, caller, {}, { name: 'session.me' })).language

/** Subject and text of the mails about a new request, by the name in their address. */
async function mailsOfRequest(tenant: TestTenant, by: Caller) {
  const { approvalId } = await askForRefund(tenant, by)
  const mails = await running.database.inTenant(tenant.id, (tx) => findMailsAbout(tx, tenant.id, approvalId))
  return new Map(mails.map((mail) => [mail.recipient.split('@')[0] ?? '', mail]))
}

test('a person’s choice follows them, and is taken back', async () => {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria')
  const jonas = await tenant.as('jonas')
  expect(await chosenBy(maria)).toBeNull()
  await choose(maria, 'en')
  expect(await choose(maria, 'de')).toEqual({ id: maria.principal.memberId, language: 'de' })
  expect(await chosenBy(maria)).toBe('de')
  expect(await chosenBy(jonas)).toBeNull()
  await choose(maria, null)
  expect(await chosenBy(maria)).toBeNull()
})

test('a service account does not read', async () => {
  const tenant = await testTenant(running)
  const machine = await tenant.as('ci', { kind: 'service_account', roles: ['viewer'] })
  await expect(choose(machine, 'de')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(choose(await tenant.as('maria'), 'fr' as PersonalLanguage)).rejects.toMatchObject({
    code: 'validation_failed',
  })
})

test('each person gets mail in their own language, the others in that of the organisation', async () => {
  const tenant = await testTenant(running)
  const asks = await tenant.as('maria', { roles: ['developer'] })
  const german = await tenant.as('anna', { roles: ['approver'], groups: [approverGroup] })
  const english = await tenant.as('ben', { roles: ['approver'], groups: [approverGroup] })
  await tenant.as('cleo', { roles: ['approver'], groups: [approverGroup] })
  await choose(german, 'de')
  await choose(english, 'en')
  const first = await mailsOfRequest(tenant, asks)
  expect([...first].map(([name, { language }]) => [name, language]).sort()).toEqual([
    ['anna', 'de'],
    ['ben', 'en'],
    ['cleo', 'en'],
  ])
  expect(first.get('anna')?.subject).toBe('Entscheidung erbeten: Issue refund for A-1')
  expect(first.get('anna')?.body).toMatch(/\nZu entscheiden bis: \d+\. \p{L}+ \d{4} um \d\d:\d\d:\d\d UTC\n/u)
  expect(first.get('ben')?.subject).toBe('Decision requested: Issue refund for A-1')

  const admin = await tenant.as('ada', { roles: ['tenant_admin'] })
  const { tenant: changed } = await execute(
    updateBranding,
    admin,
    { language: 'de' },
    { name: 'tenants.updateBranding' },
  )
  expect(changed.branding.language).toBe('de')
  const second = await mailsOfRequest({ ...tenant, branding: changed.branding }, asks)
  expect([...second].map(([name, { language }]) => [name, language]).sort()).toEqual([
    ['anna', 'de'],
    ['ben', 'en'],
    ['cleo', 'de'],
  ])
})
