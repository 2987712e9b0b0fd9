import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { get } from '#server/approvals/get.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { mailing } from '#server/mail/jobs.ts'
import { mailQueue } from '#server/mail/queue-mail.ts'
import { findMailsAbout } from '#server/mail/store.ts'
import { proveByOperator } from '#server/tenants/account-control.ts'
import { askForRefund } from '#server/testing/approval-request.ts'
import { approveAs, holderRuntime, holders, idOf } from '#server/testing/holders.ts'
import { asOwner } from '#server/testing/owner.ts'
import type { Organisation } from '#server/testing/people.ts'
import { call, groups, roles } from '#server/testing/properties/same-person.ts'
import { invite } from './invite.ts'
import { list } from './list.ts'
import { resetPassword } from './reset-password.ts'

// With a mail server: links go by mail only, and prove control against everyone who did not choose the address alone.

let running: Awaited<ReturnType<typeof holderRuntime>>
beforeAll(async () => {
  running = await holderRuntime(['approval-expiry', mailQueue], { SMTP_URL: 'smtp://127.0.0.1:9' })
})
afterAll(() => running.close())

let at: Organisation
let ada: Caller
let zoe: Caller
let nia: Caller
beforeEach(async () => {
  ;({ at, ada, zoe, nia } = await holders(running))
})

const invited = (by: Caller, wanted = ['viewer']) =>
  call(invite, by, { email: 'bo@mail.example', username: 'bo', displayName: 'Bo', roles: wanted })
const controlOf = async (memberId: string) =>
  (await call(list, zoe, { kind: 'person' })).items.find((item) => item.id === memberId)?.control
/** The newest mail to a member. */
async function newestMail(memberId: string): Promise<string> {
  const mails = await running.database.inTenant(at.tenant.id, (tx) => findMailsAbout(tx, at.tenant.id, memberId))
  const { recipient, body } = mails.at(-1) ?? { recipient: '', body: '' }
  expect(recipient).toMatch(/@/)
  return body
}
/** The link in it. */
async function mailed(memberId: string): Promise<string> {
  const body = await newestMail(memberId)
  return /^http\S+\/sign-in-link\/[\w-]{43}$/m.exec(body)?.[0] ?? ''
}

test('the link is sent and shown to no one; it proves nothing against the person who chose the address', async () => {
  const { member, inviteUrl, expiresAt, notice } = await invited(ada)
  expect({ inviteUrl, notice }).toMatchObject({ inviteUrl: null, notice: expect.stringContaining('bo@mail.example') })
  expect(expiresAt).not.toBeNull()
  await at.use(await mailed(member.id))
  expect(await controlOf(member.id)).toMatchObject({
    countsAs: [{ id: idOf(ada), kind: 'invited', mailed: true }],
  })
  const bo = await at.appoint(member.id, roles, groups)
  const { approvalId } = await askForRefund(at.tenant, bo)
  await expect(approveAs(ada, approvalId)).rejects.toMatchObject({ code: 'separation_of_duties' })
})

test.each(['before', 'after'])(
  'an address that another person confirms %s the link is used proves control',
  async (when) => {
    const { member, change } = await invited(ada, ['approver'])
    const approvalId = change?.approvalId ?? ''
    const { presentation } = await call(get, nia, { approvalId })
    expect(presentation.arguments).toContainEqual({ path: 'address', value: 'bo@mail.example' })
    if (when === 'before') await approveAs(nia, approvalId)
    await at.use(await mailed(member.id))
    if (when === 'after') {
      expect(await controlOf(member.id)).toMatchObject({ proof: null })
      await approveAs(nia, approvalId)
    }
    expect(await controlOf(member.id)).toMatchObject({ countsAs: [], proof: 'mail' })
  },
)

test('an invitation says the user name, which the sign-in asks for', async () => {
  const { member } = await invited(ada)
  expect(await newestMail(member.id)).toMatch(/^Your user name: bo$/m)
})

test('a reset by another person is proved by the mail, for what the account does from then on', async () => {
  const { member } = await invited(zoe)
  await at.use(await mailed(member.id))
  await call(resetPassword, ada, { id: member.id })
  const bo = await at.appoint(member.id, roles, groups)
  const before = await askForRefund(at.tenant, bo)
  await expect(approveAs(ada, before.approvalId)).rejects.toMatchObject({
    message: expect.stringContaining('You reset'),
  })
  await at.use(await mailed(member.id))
  expect(await controlOf(member.id)).toMatchObject({ countsAs: [{ id: idOf(zoe) }] })
  const after = await askForRefund(at.tenant, bo)
  await expect(approveAs(ada, before.approvalId)).rejects.toMatchObject({
    message: expect.stringContaining('it was proved only on'),
  })
  expect(await approveAs(ada, after.approvalId)).toMatchObject({ status: 'approved' })
})

test('a reset by an account of the person who chose the address is not proved by the mail', async () => {
  const puppet = await call(invite, ada, { email: 'eve@mail.example', username: 'eve', displayName: 'Eve', roles: [] })
  await at.use(await mailed(puppet.member.id))
  const eve = await at.appoint(puppet.member.id, roles, groups)
  const { member } = await invited(eve)
  await at.use(await mailed(member.id))
  await call(resetPassword, ada, { id: member.id })
  await at.use(await mailed(member.id))
  expect((await controlOf(member.id))?.countsAs.map((holder) => holder.id)).toEqual([idOf(eve), idOf(ada)])
})

test('the member is shown with what became of the mail, until control is proved', async () => {
  const { member } = await invited(ada)
  expect(member.linkMail).toEqual({ delivery: 'pending', error: null })
  const mailOf = async () =>
    (await call(list, zoe, { kind: 'person' })).items.find((item) => item.id === member.id)?.linkMail
  const mailsOf = () => running.database.inTenant(at.tenant.id, (tx) => findMailsAbout(tx, at.tenant.id, member.id))
  const send = async (place: number) =>
    await mailing.run({ tenantId: at.tenant.id, id: (await mailsOf())[place]?.id ?? '' }, 0)
  await send(0)
  expect(await mailOf()).toEqual({ delivery: 'pending', error: expect.stringContaining('could not be reached') })
  await call(resetPassword, ada, { id: member.id })
  expect(await mailOf()).toEqual({ delivery: 'pending', error: null })
  // The first link does not work any more, so its mail is not tried again.
  await send(0)
  expect((await mailsOf()).map(({ delivery }) => delivery)).toEqual(['failed', 'pending'])
  const { principal } = await at.caller(member.id)
  // A link of the operator is shown, and proves control.
  await running.database.inTenant(at.tenant.id, (tx) => proveByOperator(tx, at.tenant.id, principal, 'reset'))
  expect(await mailOf()).toBeNull()
})

test('without an address a link can’t be sent, so only the operator can create one', async () => {
  const bo = await at.person('bo', ['viewer'])
  await asOwner(running, 'update members set email = null where tenant_id = $1 and id = $2', [at.tenant.id, idOf(bo)])
  await expect(call(resetPassword, ada, { id: idOf(bo) })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('npm run tenant -- link'),
  })
})
