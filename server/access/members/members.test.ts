// Longer than other files: the rules of one life cycle, on two tenants that all of them share.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { decide } from '#server/approvals/decide.ts'
import { get } from '#server/approvals/get.ts'
import { getPending } from '#server/approvals/get-pending.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { createRealm } from '#server/identity/realms/create-realm.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { insertPasskey } from '#server/passkeys/store.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { invite } from './invite.ts'
import { list } from './list.ts'
import { remove } from './remove.ts'
import { resetPassword } from './reset-password.ts'
import { resume } from './resume.ts'
import { setRoles } from './set-roles.ts'
import { suspend } from './suspend.ts'

// Membership rules on the real database, with two tenants so that each rule is also tested across tenants.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  registerDecisions()
  // The first worker creates the queue.
  await running.queue.work([expiry])
})
afterAll(() => running.close())

let tenant: TestTenant
let tom: Caller
let ivy: Caller
let jonas: Caller
beforeEach(async () => {
  tenant = await organisation()
  tom = await tenant.as('tom', { roles: ['tenant_admin'] })
  ivy = await tenant.as('ivy', { roles: ['tenant_admin'] })
  jonas = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
})

async function organisation(): Promise<TestTenant> {
  const made = await testTenant(running)
  await running.database.inTenant(made.id, (tx) => createRealm(tx, made))
  return made
}

let calls = 0
const call = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown, idempotencyKey?: string): Promise<O> =>
  execute(operation, caller, input, { name: `test.${calls++}`, idempotencyKey })
const vote = (caller: Caller, approvalId: string, decision = 'approve') =>
  call(decide, caller, { approvalId, decision, decisionAcknowledged: true, reason: 'I asked them.' })
const member = async (caller: Caller, id: string) => {
  const found = (await call(list, caller, { limit: 200 })).items.find((item) => item.id === id)
  if (found === undefined) throw new Error(`unknown member ${id}`)
  return found
}
const invited = (caller = tom, changes: object = {}) =>
  call(invite, caller, { email: 'Nora.Lind@mail.example', displayName: 'Nora Lind', roles: ['viewer'], ...changes })
/** Records that name the member, apart from its state. */
const actions = (id: string): Promise<string[]> =>
  running.database.inTenant(tenant.id, async (tx) =>
    (
      await tx
        .selectFrom('auditRecords')
        .select(['type', 'record'])
        .where('tenantId', '=', tenant.id)
        .orderBy('seq')
        .execute()
    )
      .filter(({ record }) => JSON.stringify({ ...(record as object), states: undefined }).includes(id))
      .map((row) => row.type),
  )

describe('inviting', () => {
  test('creates an invited member and a link that is returned once and appears in no log and no replay', async () => {
    const input = { email: 'Nora.Lind@mail.example', displayName: 'Nora Lind', roles: ['viewer'] }
    const send = () => execute(invite, tom, input, { name: 'members.invite', idempotencyKey: 'invite-1' })
    const first = await send()
    expect(first.member).toMatchObject({
      status: 'invited',
      roles: ['viewer'],
      username: 'nora.lind',
      email: 'nora.lind@mail.example',
    })
    expect(first.change).toBeNull()
    expect(first.notice).toContain('No mail server is configured')
    const token = /\/realms\/t-[0-9a-f]+\/sign-in-link\/([\w-]{43})$/.exec(first.inviteUrl ?? '')?.[1]
    expect(token).toBeDefined()
    expect(Date.parse(first.expiresAt ?? '') - Date.now()).toBeGreaterThan(71.9 * 3_600_000)
    expect(Date.parse(first.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(72 * 3_600_000)
    const again = await send()
    expect(again).toMatchObject({ member: { id: first.member.id }, inviteUrl: null })
    expect((await call(list, tom, {})).items.filter((item) => item.status === 'invited')).toHaveLength(1)
    const stored = await running.database.inTenant(tenant.id, async (tx) =>
      JSON.stringify([
        await tx.selectFrom('auditRecords').selectAll().execute(),
        await answersKept(tx),
        await tx.selectFrom('realmSignInLinks').selectAll().execute(),
      ]),
    )
    expect(stored).toContain(first.member.id)
    expect(stored).not.toContain(token)
  })

  test('uses the whole address if the user name is taken, and refuses to invite an address twice', async () => {
    await invited()
    const other = await invited(tom, { email: 'nora.lind@other.example' })
    expect(other.member.username).toBe('nora.lind@other.example')
    await expect(invited(tom, { username: 'nora2' })).rejects.toMatchObject({ code: 'name_conflict' })
    await expect(invited(tom, { email: 'x@mail.example', username: 'JONAS' })).rejects.toMatchObject({
      code: 'name_conflict',
    })
  })

  test('creates one member for two concurrent invitations of one address', async () => {
    const results = await Promise.allSettled([invited(tom), invited(ivy), invited(tom)])
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  })

  test('accepts an address that is in use in another tenant', async () => {
    const elsewhere = await organisation()
    const admin = await elsewhere.as('tom', { roles: ['tenant_admin'] })
    const mine = await invited()
    const theirs = await invited(admin)
    expect(theirs.member.username).toBe(mine.member.username)
    expect((await call(list, admin, {})).items.map((item) => item.id)).not.toContain(mine.member.id)
  })

  test('requires member:manage', async () => {
    await expect(invited(jonas)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test.each([{ roles: ['superuser'] }, { email: 'not an address' }, { username: 'two words' }, { displayName: '  ' }])(
    '%o is refused',
    async (changes) => {
      await expect(invited(tom, changes)).rejects.toThrow()
    },
  )
})

describe('roles that decide, see or administer', () => {
  test.each(['approver', 'privacy_officer', 'tenant_admin'])(
    'a grant of %s waits for change-approvers; other roles change immediately',
    async (role) => {
      const omar = await tenant.as('omar', { roles: ['viewer'] })
      const id = omar.principal.memberId
      const { member: after, change } = await call(setRoles, tom, {
        id,
        expectedRevision: 1,
        roles: ['operator', role],
        reason: 'Takes over from Vera.',
      })
      expect(after).toMatchObject({ roles: ['operator'], pendingRoles: [role], pendingApprovalId: change?.approvalId })
      const request = await call(get, jonas, { approvalId: change?.approvalId })
      expect(request).toMatchObject({
        kind: 'role_grant',
        title: `Grant ${role} to omar`,
        agentName: null,
        blocked: null,
      })
      expect(JSON.stringify(request.presentation.arguments)).toContain('Takes over from Vera.')
      await vote(jonas, request.approvalId)
      expect(await member(tom, id)).toMatchObject({ roles: ['operator', role], pendingRoles: [], revision: 3 })
      expect(await actions(id)).toEqual(['member.created', 'member.roles_set', 'member.roles_granted'])
    },
  )

  test('neither the requester nor the recipient nor anyone outside the group can approve a grant', async () => {
    const asking = await tenant.as('asking', { roles: ['tenant_admin', 'approver'], groups: ['change-approvers'] })
    const getting = await tenant.as('getting', { roles: ['approver'], groups: ['change-approvers'] })
    const outside = await tenant.as('outside', { roles: ['approver'] })
    const { change } = await call(setRoles, asking, {
      id: getting.principal.memberId,
      expectedRevision: 1,
      roles: ['approver', 'privacy_officer'],
    })
    const approvalId = change?.approvalId ?? ''
    await expect(vote(asking, approvalId)).rejects.toMatchObject({ code: 'separation_of_duties' })
    await expect(vote(getting, approvalId)).rejects.toMatchObject({
      code: 'separation_of_duties',
      message: expect.stringContaining('would get these roles'),
    })
    await expect(vote(outside, approvalId)).rejects.toMatchObject({ code: 'not_eligible' })
    await vote(jonas, approvalId)
    expect((await member(tom, getting.principal.memberId)).roles).toContain('privacy_officer')
  })

  test("members can't approve their own role even where separation of duties is off", async () => {
    await running.database.inTenant(tenant.id, (tx) =>
      tx.updateTable('tenants').set({ settings: '{"separationOfDuties":"off"}' }).where('id', '=', tenant.id).execute(),
    )
    const lax = (caller: Caller): Caller => ({
      ...caller,
      tenant: { ...caller.tenant, settings: { separationOfDuties: 'off' } },
    })
    const getting = lax(await tenant.as('getting', { roles: ['approver'], groups: ['change-approvers'] }))
    const { change } = await call(setRoles, lax(tom), {
      id: getting.principal.memberId,
      expectedRevision: 1,
      roles: ['approver', 'tenant_admin'],
    })
    await expect(vote(getting, change?.approvalId ?? '')).rejects.toMatchObject({
      code: 'separation_of_duties',
      message: 'You can’t approve a change of your own roles.',
    })
    expect(await call(get, jonas, { approvalId: change?.approvalId })).toMatchObject({ status: 'pending', votes: [] })
    expect(await actions(change?.approvalId ?? '')).toContain('approval.approve.refused')
  })

  test('a rejected grant leaves the member unchanged and can be requested again', async () => {
    const omar = await tenant.as('omar', { roles: ['viewer'] })
    const ask = () =>
      call(setRoles, tom, { id: omar.principal.memberId, expectedRevision: 1, roles: ['viewer', 'approver'] })
    const { change } = await ask()
    expect((await ask()).change).toEqual(change)
    await vote(jonas, change?.approvalId ?? '', 'reject')
    expect(await member(tom, omar.principal.memberId)).toMatchObject({
      roles: ['viewer'],
      pendingRoles: [],
      revision: 1,
    })
    expect((await ask()).change?.approvalId).not.toBe(change?.approvalId)
  })

  test('setting other roles withdraws a pending grant, and so does removal', async () => {
    const omar = await tenant.as('omar', { roles: ['viewer'] })
    const id = omar.principal.memberId
    const first = await call(setRoles, tom, { id, expectedRevision: 1, roles: ['viewer', 'approver'] })
    const second = await call(setRoles, tom, {
      id,
      expectedRevision: 1,
      roles: ['viewer', 'approver', 'privacy_officer'],
    })
    expect(second.change?.approvalId).not.toBe(first.change?.approvalId)
    expect((await call(get, jonas, { approvalId: first.change?.approvalId })).status).toBe('canceled')
    await call(remove, tom, { id, reason: 'Left.' })
    expect((await call(get, jonas, { approvalId: second.change?.approvalId })).status).toBe('canceled')
    await expect(vote(jonas, second.change?.approvalId ?? '')).rejects.toMatchObject({ code: 'already_decided' })
    expect((await call(getPending, jonas, {})).items).toEqual([])
  })

  test('an invited approver gets the role only after the approval, which states who has the link', async () => {
    const { member: nora, change } = await invited(tom, { roles: ['viewer', 'approver'] })
    expect(nora).toMatchObject({ roles: ['viewer'], pendingRoles: ['approver'] })
    const { presentation } = await call(get, jonas, { approvalId: change?.approvalId })
    expect(presentation.effects.join(' ')).toContain('had not set a password yet')
    await vote(jonas, change?.approvalId ?? '')
    expect(await member(tom, nora.id)).toMatchObject({ roles: ['viewer', 'approver'], status: 'invited' })
  })

  test('an invitation or grant that no member could approve is refused', async () => {
    const bare = await organisation()
    const admin = await bare.as('admin', { roles: ['tenant_admin'] })
    await expect(invited(admin, { roles: ['approver'] })).rejects.toMatchObject({ code: 'no_eligible_approver' })
    expect((await call(list, admin, {})).items).toHaveLength(1)
  })

  test('a service account never gets one, and keeps the roles that its operator gave it', async () => {
    const bot = await tenant.as('bot', { roles: ['developer'], kind: 'service_account' })
    const set = (roles: string[]) => call(setRoles, tom, { id: bot.principal.memberId, expectedRevision: 1, roles })
    for (const role of ['approver', 'privacy_officer', 'tenant_admin'])
      await expect(set([role])).rejects.toMatchObject({ code: 'forbidden' })
    expect(await actions(bot.principal.memberId)).toContain('member.roles_set.refused')
    expect((await set(['auditor'])).member.roles).toEqual(['auditor'])
    const operators = await tenant.as('admin-automation', { roles: ['tenant_admin'], kind: 'service_account' })
    const kept = await call(setRoles, tom, {
      id: operators.principal.memberId,
      expectedRevision: 1,
      roles: ['tenant_admin', 'auditor'],
    })
    expect(kept).toMatchObject({ member: { roles: ['tenant_admin', 'auditor'] }, change: null })
  })
})

describe("members can't change themselves", () => {
  test.each([
    ['roles', setRoles, { expectedRevision: 1, roles: ['viewer'] }],
    ['suspension', suspend, { reason: 'x' }],
    ['resumption', resume, {}],
    ['removal', remove, { reason: 'x' }],
    ['password', resetPassword, {}],
  ] as const)('%s, not even through their own service account', async (name, operation, input) => {
    const machine = await tenant.as('toms-machine', {
      roles: ['tenant_admin'],
      kind: 'service_account',
      createdBy: tom.principal.memberId,
    })
    for (const caller of [tom, machine])
      await expect(
        call(operation as Operation<unknown, unknown>, caller, { id: tom.principal.memberId, ...input }),
      ).rejects.toMatchObject({
        code: name === 'password' && caller === machine ? 'person_required' : 'separation_of_duties',
      })
    expect(await member(ivy, tom.principal.memberId)).toMatchObject({
      status: 'active',
      roles: ['tenant_admin'],
      revision: 1,
    })
  })
})

describe('the last administrator', () => {
  test("can't be suspended, removed or demoted; a service account with the role does not count", async () => {
    const machine = await tenant.as('admin-automation', { roles: ['tenant_admin'], kind: 'service_account' })
    const id = tom.principal.memberId
    expect(await member(tom, id)).toMatchObject({ isLastAdmin: false })
    await call(remove, tom, { id: ivy.principal.memberId, reason: 'Left.' })
    expect(await member(tom, id)).toMatchObject({ isLastAdmin: true })
    expect(await member(tom, ivy.principal.memberId)).toMatchObject({ isLastAdmin: false })
    for (const act of [
      () => call(remove, machine, { id, reason: 'x' }),
      () => call(suspend, machine, { id, reason: 'x' }),
      () => call(setRoles, machine, { id, expectedRevision: 1, roles: ['viewer'] }),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'last_admin' })
  })

  test('two administrators who remove each other concurrently leave one', async () => {
    const results = await Promise.allSettled([
      call(remove, tom, { id: ivy.principal.memberId, reason: 'x' }),
      call(remove, ivy, { id: tom.principal.memberId, reason: 'x' }),
    ])
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  })
})

describe('the lifecycle of a membership', () => {
  test('goes active ⇄ suspended → removed, each transition once, with an audit record', async () => {
    const id = (await tenant.as('omar', { roles: ['operator'] })).principal.memberId
    expect((await call(suspend, tom, { id, expectedRevision: 1, reason: 'On leave.' })).member.status).toBe('suspended')
    await expect(call(suspend, tom, { id, reason: 'x' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(call(resume, tom, { id, expectedRevision: 1 })).rejects.toMatchObject({
      code: 'revision_conflict',
      details: { revision: 2 },
    })
    expect((await call(resume, tom, { id })).member).toMatchObject({ status: 'active', roles: ['operator'] })
    expect((await call(remove, tom, { id, reason: 'Left.' })).member.status).toBe('removed')
    for (const act of [
      () => call(resume, tom, { id }),
      () => call(suspend, tom, { id, reason: 'x' }),
      () => call(remove, tom, { id, reason: 'x' }),
      () => call(setRoles, tom, { id, expectedRevision: 4, roles: [] }),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'conflict' })
    expect((await actions(id)).filter((action) => !action.endsWith('.refused'))).toEqual([
      'member.created',
      'member.suspended',
      'member.resumed',
      'member.removed',
    ])
  })

  test('frees the user name and address of a removed person for another person', async () => {
    const first = await invited()
    await call(remove, tom, { id: first.member.id, reason: 'Wrong person.' })
    const second = await invited()
    expect(second.member.username).toBe(first.member.username)
    expect(second.member.id).not.toBe(first.member.id)
  })

  test('answers the same for an unknown member and one of another tenant', async () => {
    const foreign = await (await organisation()).as('omar', { roles: ['viewer'] })
    const own = await tenant.as('omar', { roles: ['viewer'] })
    for (const [operation, input] of [
      [setRoles, { expectedRevision: 1, roles: [] }],
      [suspend, { reason: 'x' }],
      [resume, {}],
      [remove, { reason: 'x' }],
      [resetPassword, {}],
    ] as const)
      for (const id of [foreign.principal.memberId, newId()])
        await expect(call(operation as Operation<unknown, unknown>, tom, { id, ...input })).rejects.toMatchObject({
          code: 'not_found',
          message: 'Not found.',
        })
    expect((await call(suspend, tom, { id: own.principal.memberId, reason: 'x' })).member.status).toBe('suspended')
  })

  test('is listed in pages that continue where the previous one ended, with filters', async () => {
    const all = (await call(list, tom, {})).items.map((item) => item.id)
    expect(all.length).toBeGreaterThanOrEqual(3)
    const paged: string[] = []
    let cursor: string | null = null
    do {
      const page: { items: { id: string }[]; nextCursor: string | null } = await call(list, tom, {
        limit: 1,
        ...(cursor === null ? {} : { cursor }),
      })
      paged.push(...page.items.map((item) => item.id))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(paged).toEqual(all)
    expect((await call(list, tom, { kind: 'service_account' })).items).toEqual([])
    expect((await call(list, tom, { status: 'invited' })).items).toEqual([])
  })

  test('counts the active approvers with a passkey, and lists the people without one', async () => {
    const before = (await call(list, tom, {})).passkeys
    const { principal } = await tenant.as('keyed', { roles: ['approver'] })
    await tenant.as('unkeyed', { roles: ['approver'] })
    await running.database.inTenant(tenant.id, (tx) =>
      insertPasskey(tx, {
        tenantId: tenant.id,
        id: newId(),
        memberId: principal.memberId,
        name: 'Laptop',
        credentialId: 'a credential',
        publicKey: Buffer.alloc(32),
        signCount: 0,
        transports: [],
        synced: false,
      }),
    )
    const { items, passkeys } = await call(list, tom, {})
    expect(passkeys).toEqual({ approvers: before.approvers + 2, withPasskey: before.withPasskey + 1 })
    expect(items.find(({ id }) => id === principal.memberId)).toMatchObject({ passkeys: 1, lastSignInAt: null })
    const without = (await call(list, tom, { passkey: 'none' })).items.map(({ username }) => username)
    expect(without).toContain('unkeyed')
    expect(without).not.toContain('keyed')
  })
})

describe('a password reset', () => {
  test('of an ordinary member returns a link immediately', async () => {
    const { member: nora } = await invited()
    const reset = await call(resetPassword, tom, { id: nora.id })
    expect(reset).toMatchObject({ change: null, member: { status: 'invited' } })
    expect(reset.inviteUrl).toContain('/sign-in-link/')
  })

  test('of a member who decides needs an approval, which works once and only for the requester', async () => {
    const { member: nora, change: grant } = await invited(tom, { roles: ['approver'] })
    await vote(jonas, grant?.approvalId ?? '')
    const asked = await call(resetPassword, tom, { id: nora.id, reason: 'Forgot it.' })
    expect(asked).toMatchObject({ inviteUrl: null, expiresAt: null })
    const approvalId = asked.change?.approvalId ?? ''
    await expect(call(resetPassword, tom, { id: nora.id })).rejects.toMatchObject({
      code: 'conflict',
      details: { approvalId },
    })
    expect((await call(get, jonas, { approvalId })).presentation.effects.join(' ')).toContain(
      'tom gets a one-time link',
    )
    await vote(jonas, approvalId)
    const somebodyElse = await call(resetPassword, ivy, { id: nora.id })
    expect(somebodyElse.inviteUrl).toBeNull()
    const [one, two] = await Promise.allSettled([
      call(resetPassword, tom, { id: nora.id }),
      call(resetPassword, tom, { id: nora.id }),
    ])
    const links = [one, two].filter((result) => result?.status === 'fulfilled' && result.value.inviteUrl !== null)
    expect(links).toHaveLength(1)
  })
})

/** Every stored response for an Idempotency-Key, decrypted. */
async function answersKept(tx: Transaction): Promise<JsonValue[]> {
  const rows = await tx.selectFrom('idempotencyKeys').select(['memberId', 'operation', 'key', 'response']).execute()
  const cipher = await tenantCipher(tx, tenant.id)
  return rows.flatMap(({ memberId, operation, key, response }) => {
    const context = contentContext('idempotency_keys', [memberId, operation, key], 'response')
    return response === null ? [] : [cipher.decryptJson(response, context)]
  })
}
