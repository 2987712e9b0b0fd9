import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newLink } from '#server/access/operator.ts'
import { getPending } from '#server/approvals/get-pending.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { recordAccountsBefore } from '#server/tenants/accounts-before.ts'
import { acknowledgeReset } from '#server/tenants/acknowledge-reset.ts'
import { me } from '#server/tenants/me.ts'
import { askForRefund } from '#server/testing/approval-request.ts'
import { approveAs, holderRuntime, holders, idOf } from '#server/testing/holders.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type Organisation, organisation } from '#server/testing/people.ts'
import { call, groups, roles } from '#server/testing/properties/same-person.ts'
import { invite } from './invite.ts'
import { list } from './list.ts'
import { resetPassword } from './reset-password.ts'
import { setRoles } from './set-roles.ts'
import { vouch } from './vouch.ts'

/** `30 Nov 2026`, in UTC. */
const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format()

// Who counts as an account's holder, and what ends it. server/testing/properties/same-person.test.ts has the matrix of decisions.

let running: Awaited<ReturnType<typeof holderRuntime>>
beforeAll(async () => {
  running = await holderRuntime(['approval-expiry'])
})
afterAll(() => running.close())

let at: Organisation
let ada: Caller
let zoe: Caller
let nia: Caller
beforeEach(async () => {
  ;({ at, ada, zoe, nia } = await holders(running))
})

const reason = 'I met them, and they are signed in.'
const invited = (by: Caller, username: string, wanted = ['viewer']) =>
  call(invite, by, { email: `${username}@mail.example`, username, displayName: username, roles: wanted })
async function puppet(by: Caller, username = 'bo'): Promise<Caller> {
  const { member, inviteUrl } = await invited(by, username)
  await at.use(inviteUrl ?? '')
  return await at.appoint(member.id, roles, groups)
}
const controlOf = async (who: Caller) =>
  (await call(list, zoe, { kind: 'person' })).items.find((item) => item.id === idOf(who))?.control
const records = (type: string) =>
  running.database.inTenant(at.tenant.id, (tx) =>
    tx
      .selectFrom('auditRecords')
      .select('record')
      .where('tenantId', '=', at.tenant.id)
      .where('type', '=', type)
      .execute(),
  )
const asMachine = (caller: Caller): Caller => ({
  ...caller,
  principal: { ...caller.principal, kind: 'service_account' },
})

describe('an invited account', () => {
  test('counts as the person who invited it until another administrator vouches on the record', async () => {
    const bo = await puppet(ada)
    expect(await controlOf(bo)).toMatchObject({
      countsAs: [{ id: idOf(ada), displayName: 'ada', kind: 'invited', mailed: false }],
      proof: null,
    })
    const { approvalId } = await askForRefund(at.tenant, bo)
    const waiting = async () => (await call(getPending, ada, { view: 'needs-me' })).items.map((item) => item.approvalId)
    expect(await waiting()).toEqual([])
    await expect(approveAs(ada, approvalId)).rejects.toMatchObject({
      code: 'separation_of_duties',
      message: `You invited the account bo, which asked for this, on ${today}; until it is proved that its holder controls it, you count as one person, so someone else must decide.`,
    })
    const { member } = await call(vouch, zoe, { id: idOf(bo), reason })
    expect(member.control).toMatchObject({ countsAs: [], proof: 'vouch', provedBy: 'zoe' })
    const [record] = await records('member.vouched')
    expect(record?.record).toMatchObject({
      actor: { id: idOf(zoe) },
      resource: { type: 'member', id: idOf(bo) },
      reason,
      details: { for: [{ kind: 'invited', by: { subject: ada.principal.subject } }] },
    })
    expect(await waiting()).toEqual([approvalId])
    expect(await approveAs(ada, approvalId)).toMatchObject({ status: 'approved' })
  })

  test('is vouched for by no one who could take it, nor before its link is used', async () => {
    const open = await invited(ada, 'eve')
    await expect(call(vouch, zoe, { id: open.member.id, reason })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('one-time link is not used yet'),
    })
    const [bo, ben] = [await puppet(ada, 'bo'), await puppet(ada, 'ben')]
    const carl = await puppet(zoe, 'carl')
    for (const [by, link] of [
      [ada, 'You invited the account bo'],
      [bo, 'You are the holder of this account'],
      [ben, 'You use an account that ada invited'],
    ] as const)
      await expect(call(vouch, by, { id: idOf(bo), reason })).rejects.toMatchObject({
        code: 'separation_of_duties',
        message: expect.stringContaining(link),
      })
    await expect(call(vouch, carl, { id: idOf(carl), reason })).rejects.toMatchObject({
      code: 'separation_of_duties',
    })
    expect(await records('member.vouched.refused')).toHaveLength(5)
    await call(vouch, carl, { id: idOf(bo), reason })
    await expect(call(vouch, nia, { id: idOf(bo), reason })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('does not manage the person who invited it, who still manages the account', async () => {
    const bo = await puppet(ada)
    const wanted = ['tenant_admin', 'approver', 'developer', 'operator']
    await expect(call(setRoles, bo, { id: idOf(ada), expectedRevision: 1, roles: wanted })).rejects.toMatchObject({
      code: 'separation_of_duties',
      message: expect.stringContaining('You use an account that was invited'),
    })
    await call(setRoles, ada, { id: idOf(bo), expectedRevision: 2, roles: wanted })
    await call(vouch, zoe, { id: idOf(bo), reason })
    await call(setRoles, bo, { id: idOf(ada), expectedRevision: 1, roles: wanted })
  })

  test('can’t approve a role of the person who invited it, even where separation of duties is off', async () => {
    const lax = (caller: Caller): Caller => ({
      ...caller,
      tenant: { ...caller.tenant, settings: { separationOfDuties: 'off' } },
    })
    const bo = lax(await puppet(ada))
    const { change } = await call(setRoles, lax(zoe), {
      id: idOf(ada),
      expectedRevision: 1,
      roles: [...roles, 'privacy_officer'],
    })
    const approvalId = change?.approvalId ?? ''
    await expect(approveAs(bo, approvalId)).rejects.toMatchObject({
      code: 'separation_of_duties',
      message: expect.stringContaining('invited'),
    })
    await call(vouch, zoe, { id: idOf(bo), reason })
    expect(await approveAs(bo, approvalId)).toMatchObject({ status: 'approved' })
  })

  test('that the operator resets is proved for what it does from then on', async () => {
    const bo = await puppet(ada)
    const before = await askForRefund(at.tenant, bo)
    const lines: string[] = []
    await newLink(at.tenant.slug, 'bo', (line) => lines.push(line))
    expect(await controlOf(bo)).toMatchObject({ countsAs: [], proof: 'operator' })
    await expect(approveAs(ada, before.approvalId)).rejects.toMatchObject({
      message: expect.stringContaining('it was proved only on'),
    })
    const after = await askForRefund(at.tenant, bo)
    expect(await approveAs(ada, after.approvalId)).toMatchObject({ status: 'approved' })
  })
})

describe('a reset', () => {
  test('after the request was made makes its person the requester, too', async () => {
    const bo = await at.person('bo', ['viewer'], groups)
    const { approvalId } = await askForRefund(at.tenant, bo)
    await call(resetPassword, ada, { id: idOf(bo) })
    await expect(approveAs(ada, approvalId)).rejects.toMatchObject({
      message: expect.stringContaining('You reset the account bo'),
    })
    expect(await approveAs(nia, approvalId)).toMatchObject({ status: 'approved' })
  })

  test('of a member who may do more than the caller needs a second person, again if the member gained a role since', async () => {
    const bo = await at.person('bo', ['auditor'])
    const asked = await call(resetPassword, zoe, { id: idOf(bo), reason: 'Forgot it.' })
    expect(asked).toMatchObject({
      inviteUrl: null,
      member: { pendingReset: { approved: false, requestedBy: idOf(zoe) } },
    })
    expect(await approveAs(nia, asked.change?.approvalId ?? '')).toMatchObject({ status: 'approved' })
    const [{ pendingReset } = { pendingReset: null }] = (await call(list, zoe, {})).items.filter(
      (item) => item.id === idOf(bo),
    )
    expect(pendingReset).toMatchObject({ approved: true })
    await at.appoint(idOf(bo), ['auditor', 'privacy_officer'], [])
    const again = await call(resetPassword, zoe, { id: idOf(bo) })
    expect(again).toMatchObject({
      inviteUrl: null,
      change: { approvalId: expect.not.stringMatching(asked.change?.approvalId ?? '') },
    })
  })

  test('of the last administrator is the operator’s alone', async () => {
    const alone = await organisation(running)
    const tom = await alone.person('tom', ['tenant_admin'])
    await expect(call(resetPassword, tom, { id: idOf(tom) })).rejects.toMatchObject({
      code: 'last_admin',
      message: expect.stringContaining('npm run tenant -- link'),
    })
  })

  test('is shown to the holder with the removed passkeys until they acknowledge it', async () => {
    const bo = await at.person('bo', ['viewer'])
    await running.database.inTenant(at.tenant.id, (tx) =>
      tx
        .insertInto('passkeys')
        .values({
          tenantId: at.tenant.id,
          id: newId(),
          memberId: idOf(bo),
          name: 'Blue key',
          credentialId: newId(),
          publicKey: Buffer.from('key'),
          signCount: 0,
          transports: [],
          synced: false,
        })
        .execute(),
    )
    const { inviteUrl, removedPasskeys, passkeysRemoved } = await call(resetPassword, ada, { id: idOf(bo) })
    expect({ removedPasskeys, passkeysRemoved }).toEqual({ removedPasskeys: ['Blue key'], passkeysRemoved: 1 })
    expect((await records('member.password_reset'))[0]?.record).toMatchObject({
      details: { passkeysRemoved: ['Blue key'] },
    })
    await at.use(inviteUrl ?? '')
    const [shown] = (await call(me, bo, undefined)).resets
    expect(shown).toMatchObject({ by: 'ada', passkeysRemoved: ['Blue key'] })
    expect((await call(me, ada, undefined)).resets).toEqual([])
    await expect(call(acknowledgeReset, ada, { id: shown?.id })).rejects.toMatchObject({ code: 'not_found' })
    await call(acknowledgeReset, bo, { id: shown?.id })
    await call(acknowledgeReset, bo, { id: shown?.id })
    expect((await call(me, bo, undefined)).resets).toEqual([])
    expect(await records('member.reset_acknowledged')).toHaveLength(2)
  })
})

test('a machine invites, resets and vouches for no one', async () => {
  const bo = await puppet(ada)
  const machine = asMachine(zoe)
  for (const act of [
    () => invited(machine, 'eve'),
    () => call(resetPassword, machine, { id: idOf(bo) }),
    () => call(vouch, machine, { id: idOf(bo), reason }),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'person_required', status: 403 })
  expect(await controlOf(bo)).toMatchObject({ proof: null })
})

test('accounts from before count as proved, are on record once, and are listed until a review', async () => {
  const old = await at.person('old', ['viewer'])
  // As if the account were older than the table.
  await asOwner(running, 'delete from account_links where tenant_id = $1 and subject = $2', [
    at.tenant.id,
    old.principal.subject,
  ])
  await recordAccountsBefore()
  await recordAccountsBefore()
  const found = await records('member.listed_for_review')
  expect(found.map(({ record }) => record)).toMatchObject([
    { details: { members: [{ id: idOf(old), username: 'old' }] } },
  ])
  expect(await controlOf(old)).toMatchObject({ countsAs: [], proof: 'before' })
  const before = async () => (await call(list, zoe, { control: 'before' })).items.map((item) => item.username)
  expect(await before()).toEqual(['old'])
  await call(vouch, zoe, { id: idOf(old), reason })
  expect(await before()).toEqual([])
  const bo = await puppet(ada)
  expect((await call(list, zoe, { control: 'open' })).items.map((item) => item.id)).toEqual([idOf(bo)])
})

test('a machine and its person have one vote where two people have to decide', async () => {
  const on = (caller: Caller): Caller => ({
    ...caller,
    tenant: { ...caller.tenant, settings: { machineDecisions: 'on' } },
  })
  const bot = await running.database.inTenant(at.tenant.id, async (tx) => {
    const row = {
      tenantId: at.tenant.id,
      id: newId(),
      issuer: 'x',
      subject: 'bot',
      kind: 'service_account',
      username: 'bot',
    }
    await tx
      .insertInto('members')
      .values({ ...row, displayName: 'bot', roles: [], status: 'active' })
      .execute()
    await tx
      .insertInto('memberSponsors')
      .values({ tenantId: at.tenant.id, memberId: row.id, personId: idOf(ada), link: 'created' })
      .execute()
    return row.id
  })
  const machine = on(await at.appoint(bot, ['approver'], groups))
  const { approvalId } = await askForRefund(on(ada).tenant, zoe, { quorum: 2 })
  await approveAs(on(ada), approvalId)
  await expect(approveAs(machine, approvalId)).rejects.toMatchObject({
    code: 'separation_of_duties',
    message: 'You belong to the person who has already decided this request, so someone else must decide.',
  })
  expect(await approveAs(on(nia), approvalId)).toMatchObject({ status: 'approved' })
})
