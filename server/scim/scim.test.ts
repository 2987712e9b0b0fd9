// Longer than other files: one server, which takes seconds to start, serves every case.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, payload } from '#server/testing/api.ts'
import { type ScimServer, scimServer } from '#server/testing/scim.ts'
import { until } from '#server/testing/until.ts'
import { scimRoutes } from './routes.ts'

// What a provider may do by SCIM, and what it may not: over HTTP, in two tenants, with people who sign in at the provider.

let server: ScimServer
beforeAll(async () => {
  server = await scimServer()
}, 180_000)
afterAll(() => server.close())

const core = 'urn:ietf:params:scim:schemas:core:2.0'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
type User = { id: string; active: boolean; userName: string; roles?: { value: string }[]; displayName?: string }
const userIn = (answer: Answer) => answer.body as User
const scimType = (answer: Answer) => [answer.status, (answer.body as { scimType?: string }).scimType]
const detail = (answer: Answer) => (answer.body as { detail: string }).detail

let count = 0
const newUser = (more: Record<string, unknown> = {}) => {
  count += 1
  return {
    schemas: [`${core}:User`],
    externalId: `subject-${count}`,
    userName: `user-${count}@elsewhere.example`,
    ...more,
  }
}
const create = async (more: Record<string, unknown> = {}) => {
  const input = newUser(more)
  const answer = await server.call('POST', '/Users', input)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return { ...userIn(answer), externalId: input.externalId }
}
const patch = (id: string, ...operations: unknown[]) =>
  server.call('PATCH', `/Users/${id}`, { schemas: [patchSchema], Operations: operations })
const setActive = (id: string, value: boolean) => patch(id, { op: 'replace', path: 'active', value })
const signIn = async (sub: string, roles: string[], realm = 'northwind') =>
  server.provider.token(realm, {
    sub,
    preferred_username: undefined,
    email: undefined,
    name: 'A Person',
    realm_access: { roles },
  })
const me = async (token: string) => await server.api.query(token, 'session.me')
type Me = { principal: { id: string; username: string; displayName: string; roles: string[] } }
const member = async (id: string) =>
  (await server.owner.query('select * from members where id = $1', [id])).rows[0] as Record<string, unknown>
const records = async (id: string) => {
  const { rows } = await server.owner.query<{ record: Record<string, unknown> }>(
    `select record from audit_records where resource_id = $1 order by date, seq`,
    [id],
  )
  return rows.map(({ record }) => record)
}
const actions = async (id: string) => (await records(id)).map(({ action }) => action)

describe('a user', () => {
  test('is a membership of the provider’s subject, with the roles that both SCIM and the token give', async () => {
    const user = await create({
      displayName: 'Tara T.',
      emails: [{ value: 'Tara@Elsewhere.example', type: 'work', primary: true }],
      roles: [{ value: 'developer' }, { value: 'viewer' }],
    })
    const { principal } = payload<Me>(await me(await signIn(user.externalId, ['developer', 'operator', 'approver'])))
    expect(principal).toMatchObject({ id: user.id, displayName: 'Tara T.', roles: ['developer'] })
    expect(await member(user.id)).toMatchObject({
      issuer: server.provider.realm('northwind'),
      subject: user.externalId,
      kind: 'person',
      status: 'active',
      username: user.userName,
      email: 'tara@elsewhere.example',
      roles: ['viewer', 'developer'],
    })
    expect(await records(user.id)).toMatchObject([
      {
        action: 'member.created',
        reason: 'Provisioned by SCIM.',
        actor: { type: 'service_account', id: server.accountId },
        details: { username: user.userName, through: 'scim', connectionTokenId: expect.any(String) },
      },
    ])
    const { rows } = await server.owner.query('select 1 from realm_users where username = $1', [user.userName])
    expect(rows).toEqual([])
  })

  test('is shown to administrators with its provider and the name that SCIM gives it, and so is who manages accounts', async () => {
    const user = await create({ roles: [{ value: 'viewer' }] })
    type Shown = { items: { id: string; username: string; issuer: string | null; provisioned: unknown }[] }
    const list = async () =>
      payload<Shown & { accounts: unknown }>(
        await server.api.query(server.admin.northwind, 'members.list', { limit: 200 }),
      )
    const { items, accounts } = await list()
    const issuer = server.provider.realm('northwind')
    expect(items.find(({ id }) => id === user.id)).toMatchObject({
      issuer,
      provisioned: { externalId: user.externalId },
    })
    expect(items.find(({ username }) => username === 'maria')).toMatchObject({ issuer: null, provisioned: null })
    expect(accounts).toEqual({ provider: null, scim: issuer })
    const tokens = `update connection_tokens set revoked_at = $1 where use = 'scim' and tenant_id in (select id from tenants where slug = 'northwind')`
    await server.owner.query(tokens, [new Date()])
    expect((await list()).accounts).toEqual({ provider: null, scim: null })
    await server.owner.query(tokens, [null])
  })

  test('is the subject in the claim that the operator has named, such as the oid of Entra ID', async () => {
    const theirs = { token: server.token.globex }
    const body = newUser({ externalId: 'the-oid', roles: [{ value: 'viewer' }] })
    const { id } = userIn(await server.call('POST', '/Users', body, theirs))
    const claims = { sub: 'pairwise', oid: 'the-oid', realm_access: { roles: ['viewer'] } }
    const { principal } = payload<Me>(await me(await server.provider.token('globex', claims)))
    expect(principal).toMatchObject({ id, roles: ['viewer'] })
    expect((await me(await server.provider.token('globex', { ...claims, oid: undefined }))).status).toBe(401)
  })

  test('that is not active loses access with the next request, and gets it back', async () => {
    const user = await create({ roles: [{ value: 'viewer' }] })
    const token = await signIn(user.externalId, ['viewer'])
    expect((await me(token)).status).toBe(200)
    expect(userIn(await setActive(user.id, false)).active).toBe(false)
    expect((await me(token)).status).toBe(403)
    expect(userIn(await setActive(user.id, true)).active).toBe(true)
    // A token of the second in which the membership was suspended is refused as older than that.
    const renewed = async () =>
      (await me(await signIn(user.externalId, ['viewer']))).status === 200 ? true : undefined
    await until(renewed, 'a token issued after the suspension is accepted')
    expect(await actions(user.id)).toEqual(['member.created', 'member.suspended', 'member.resumed'])
  })

  test('is last modified when something of it has changed, and not when nothing has', async () => {
    const user = await create({})
    const modified = async (answer: Promise<Answer>) => {
      const { body } = await answer
      return Date.parse((body as { meta: { lastModified: string } }).meta.lastModified)
    }
    const get = () => modified(server.call('GET', `/Users/${user.id}`))
    let last = await get()
    for (const change of [
      () => setActive(user.id, false),
      () => setActive(user.id, true),
      () => patch(user.id, { op: 'add', path: 'roles', value: [{ value: 'viewer' }] }),
    ]) {
      const changed = await modified(change())
      expect(changed).toBeGreaterThan(last)
      expect(await get()).toBe(changed)
      last = changed
    }
    expect(await modified(setActive(user.id, true))).toBe(last)
    // Roles that an administrator sets in Countersign are of the user, too.
    const { revision } = (await member(user.id)) as { revision: number }
    const set = { id: user.id, expectedRevision: revision, roles: ['developer'] }
    expect((await server.api.mutate(server.admin.northwind, 'members.setRoles', set)).status).toBe(200)
    const byAdministrator = await get()
    expect(byAdministrator).toBeGreaterThan(last)
    const filter = encodeURIComponent(`id eq "${user.id}"`)
    const { body: page } = await server.call('GET', `/Users?filter=${filter}`)
    const [found] = (page as { Resources: { meta: { lastModified: string } }[] }).Resources
    expect(Date.parse(found?.meta.lastModified ?? '')).toBe(byAdministrator)
    last = byAdministrator
    await server.owner.query(`update members set status = 'suspended', tokens_not_before = now() where id = $1`, [
      user.id,
    ])
    expect(await get()).toBeGreaterThan(last)
  })

  test('that the provider deletes can’t sign in, and begins again with nothing but what SCIM gives', async () => {
    const user = await create({ roles: [{ value: 'viewer' }] })
    const { rows } = await server.owner.query<{ id: string }>(
      `select g.id from approver_groups g join tenants t on t.id = g.tenant_id where t.slug = 'northwind' and g.name = 'change-approvers'`,
    )
    const groupId = rows[0]?.id ?? ''
    await server.owner.query(`update members set roles = '{viewer,approver}' where id = $1`, [user.id])
    await server.owner.query(
      `insert into approver_group_members (tenant_id, group_id, member_id) select tenant_id, $1, id from members where id = $2`,
      [groupId, user.id],
    )
    expect((await server.call('DELETE', `/Users/${user.id}`)).status).toBe(204)
    expect((await server.call('GET', `/Users/${user.id}`)).status).toBe(404)
    expect((await server.call('DELETE', `/Users/${user.id}`)).status).toBe(404)
    expect((await me(await signIn(user.externalId, ['viewer', 'approver']))).status).toBe(403)
    const sent = await server.owner.query('select 1 from provisioned_members where member_id = $1', [user.id])
    expect(sent.rows).toEqual([])

    const again = await server.call(
      'POST',
      '/Users',
      newUser({ externalId: user.externalId, roles: [{ value: 'developer' }] }),
    )
    expect([again.status, userIn(again).id]).toEqual([201, user.id])
    expect(await member(user.id)).toMatchObject({ status: 'active', roles: ['developer'] })
    const seats = await server.owner.query('select 1 from approver_group_members where member_id = $1', [user.id])
    expect(seats.rows).toEqual([])
    expect(await actions(user.id)).toEqual(['member.created', 'member.removed', 'member.restored'])
    expect(userIn(await setActive(user.id, false)).active).toBe(false)
  })

  test('that signed in before is found by its subject, and gets the names that the provider sends', async () => {
    const token = await server.provider.token('northwind', { sub: 'early', preferred_username: 'early-bird' })
    const { principal } = payload<Me>(await me(token))
    const found = (await server.call('GET', `/Users?filter=${encodeURIComponent('externalId eq "early"')}`)).body as {
      Resources: User[]
    }
    expect(found.Resources).toMatchObject([{ id: principal.id, userName: 'early-bird', active: true }])
    expect(scimType(await server.call('POST', '/Users', newUser({ externalId: 'early' })))).toEqual([409, 'uniqueness'])
    const answer = await patch(principal.id, {
      op: 'replace',
      value: { userName: 'Early@Elsewhere.example', displayName: 'Early' },
    })
    expect(answer.status).toBe(200)
    expect(payload<Me>(await me(token)).principal).toMatchObject({
      username: 'Early@Elsewhere.example',
      displayName: 'Early',
    })
    expect(await records(principal.id)).toMatchObject([
      { action: 'member.created' },
      { action: 'member.updated', details: { changed: ['userName', 'displayName'], through: 'scim' } },
    ])
  })

  test('with the name or the address of another member gets a name of its own, without that address', async () => {
    const { rows } = await server.owner.query<{ username: string; email: string }>(
      `select username, email from members where username = 'maria'`,
    )
    const email = rows[0]?.email ?? ''
    for (const userName of ['maria', email]) {
      const user = await create({ userName, emails: [{ value: email }] })
      expect(user.userName).toBe(userName)
      expect(await member(user.id)).toMatchObject({
        username: `${userName} (${new URL(server.provider.origin).host}, ${user.externalId})`,
        email: null,
      })
      expect((await server.call('DELETE', `/Users/${user.id}`)).status).toBe(204)
    }
  })

  test('that is sent again unchanged leaves no record', async () => {
    const input = newUser({
      name: { familyName: 'B', givenName: 'A' },
      emails: [{ value: 'a@b.example', type: 'work' }],
    })
    const { id } = userIn(await server.call('POST', '/Users', input))
    for (let n = 0; n < 2; n++) expect((await server.call('PUT', `/Users/${id}`, input)).status).toBe(200)
    expect(await actions(id)).toEqual(['member.created'])
  })
})

describe('an administrator’s decision', () => {
  const byAdmin = (operation: string, id: string) =>
    server.api.mutate(server.admin.northwind, `members.${operation}`, { id, reason: 'A test.' })

  test('to suspend stays, whatever the provider sends', async () => {
    const user = await create()
    await setActive(user.id, false)
    await setActive(user.id, true)
    expect((await byAdmin('suspend', user.id)).status).toBe(200)
    const answer = await setActive(user.id, true)
    expect([answer.status, detail(answer)]).toEqual([
      409,
      expect.stringContaining('An administrator suspended this person'),
    ])
    expect(await member(user.id)).toMatchObject({ status: 'suspended' })
    expect((await byAdmin('resume', user.id)).status).toBe(200)
    expect(userIn(await server.call('GET', `/Users/${user.id}`)).active).toBe(true)
  })

  test('to suspend outlasts a removal by the provider, until the administrator resumes the membership', async () => {
    const user = await create()
    expect((await byAdmin('suspend', user.id)).status).toBe(200)
    const again = async () => {
      expect((await server.call('DELETE', `/Users/${user.id}`)).status).toBe(204)
      return await server.call('POST', '/Users', newUser({ externalId: user.externalId, active: true }))
    }
    const begun = await again()
    expect([begun.status, userIn(begun)]).toMatchObject([201, { id: user.id, active: false }])
    expect(await member(user.id)).toMatchObject({ status: 'suspended' })
    const answer = await setActive(user.id, true)
    expect([answer.status, detail(answer)]).toEqual([
      409,
      expect.stringContaining('An administrator suspended this person'),
    ])
    expect(userIn(await again()).active).toBe(false)
    expect((await byAdmin('resume', user.id)).status).toBe(200)
    expect(userIn(await again()).active).toBe(true)
    expect(userIn(await setActive(user.id, false)).active).toBe(false)
    expect(userIn(await setActive(user.id, true)).active).toBe(true)
  })

  test('to remove stays, too', async () => {
    const user = await create()
    expect((await byAdmin('remove', user.id)).status).toBe(200)
    expect((await server.call('GET', `/Users/${user.id}`)).status).toBe(404)
    const answer = await server.call('POST', '/Users', newUser({ externalId: user.externalId }))
    expect([...scimType(answer), detail(answer)]).toEqual([
      409,
      'uniqueness',
      expect.stringContaining('An administrator removed this person'),
    ])
    expect(await member(user.id)).toMatchObject({ status: 'removed' })
  })
})

describe('approving power', () => {
  const guarded = [
    'approver',
    'privacy_officer',
    'tenant_admin',
    'decisions:write',
    'decisions:read',
    'evidence:read',
    'nonsense',
  ]

  test.each(guarded)('the role %s can’t be given, in any request', async (value) => {
    const user = await create({ roles: [{ value: 'viewer' }] })
    const requests = [
      server.call('POST', '/Users', newUser({ roles: [{ value }] })),
      server.call('POST', '/Users', newUser({ roles: [value] })),
      server.call('PUT', `/Users/${user.id}`, { ...user, schemas: [`${core}:User`], roles: [{ value }] }),
      patch(user.id, { op: 'add', path: 'roles', value: [{ value }] }),
      patch(user.id, { op: 'replace', path: 'roles[value eq "viewer"].value', value }),
      patch(user.id, { op: 'add', value: { roles: [{ value }] } }),
      patch(user.id, { op: 'Add', value: { 'roles.value': value } }),
    ]
    for (const answer of await Promise.all(requests)) expect(scimType(answer)).toEqual([400, 'invalidValue'])
    expect(await member(user.id)).toMatchObject({ roles: ['viewer'] })
  })

  test('a role that Countersign gave is neither shown nor taken away', async () => {
    const user = await create({ roles: [{ value: 'viewer' }] })
    await server.owner.query(`update members set roles = '{viewer,approver}' where id = $1`, [user.id])
    expect(userIn(await server.call('GET', `/Users/${user.id}`)).roles).toEqual([{ value: 'viewer' }])
    for (const roles of [[{ value: 'operator' }], []]) {
      expect(
        (await server.call('PUT', `/Users/${user.id}`, { ...user, schemas: [`${core}:User`], roles })).status,
      ).toBe(200)
      expect((await member(user.id)).roles).toContain('approver')
    }
    expect((await patch(user.id, { op: 'remove', path: 'roles' })).status).toBe(200)
    expect((await member(user.id)).roles).toEqual(['approver'])
    // A provider that does not send roles takes none away.
    await patch(user.id, { op: 'add', path: 'roles', value: [{ value: 'viewer' }] })
    const { roles: _, ...without } = user
    await server.call('PUT', `/Users/${user.id}`, { ...without, schemas: [`${core}:User`] })
    expect((await member(user.id)).roles).toEqual(['approver', 'viewer'])
  })

  test('a group that SQL gave another name is refused before the provider adds anyone to it', async () => {
    const group = (displayName: string) => ({ schemas: [`${core}:Group`], displayName, externalId: displayName })
    const { body: made } = await server.call('POST', '/Groups', group('Harmless'))
    const path = `/Groups/${(made as { id: string }).id}`
    const { body: renamed } = await server.call('PUT', path, { ...group('Harmless'), displayName: 'Also harmless' })
    expect(renamed).toMatchObject({ displayName: 'Also harmless' })
    const change = (column: 'name' | 'external_id', value: string) =>
      server.owner.query(`update provisioned_groups set ${column} = $2 where id = $1`, [
        (made as { id: string }).id,
        value,
      ])
    for (const [column, before] of [
      ['name', 'Also harmless'],
      ['external_id', 'Harmless'],
    ] as const) {
      await change(column, 'Deciders')
      expect((await server.call('PUT', path, group('Harmless'))).status).toBe(500)
      await change(column, before)
      expect((await server.call('PUT', path, { ...group('Harmless'), displayName: `without ${column}` })).status).toBe(
        200,
      )
      await server.call('PUT', path, { ...group('Harmless'), displayName: 'Also harmless' })
    }
    expect((await server.call('DELETE', path)).status).toBe(204)
  })

  test('a group that is mapped to change-approvers gives no one the role that deciding needs', async () => {
    const user = await create({ roles: [{ value: 'viewer' }] })
    await server.owner.query(
      `insert into group_mappings (tenant_id, id, group_id, issuer, name)
       select g.tenant_id, gen_random_uuid(), g.id, $1, 'Risk' from approver_groups g join tenants t on t.id = g.tenant_id
       where t.slug = 'northwind' and g.name = 'change-approvers'`,
      [server.provider.realm('northwind')],
    )
    const group = { schemas: [`${core}:Group`], displayName: 'Risk', members: [{ value: user.id }] }
    const made = await server.call('POST', '/Groups', group)
    expect(made.status).toBe(201)
    const { rows } = await server.owner.query('select source, name from mapped_members where member_id = $1', [user.id])
    expect(rows).toEqual([{ source: 'scim', name: 'Risk' }])
    const token = await signIn(user.externalId, ['viewer', 'approver', 'tenant_admin'])
    expect(payload<Me>(await me(token)).principal.roles).toEqual(['viewer'])
    const decision = { id: user.id, decision: 'approve', digest: 'x' }
    expect((await server.api.mutate(token, 'approvals.decide', decision)).status).toBe(403)
    expect(await records(userIn(made).id)).toMatchObject([
      { action: 'provider_group.created', details: { name: 'Risk', joined: [user.id], joinedCount: 1 } },
    ])
    await server.call('DELETE', `/Users/${user.id}`)
    const left = await server.owner.query('select 1 from mapped_members where member_id = $1', [user.id])
    expect(left.rows).toEqual([])
  })

  test('a membership can’t be moved to another subject', async () => {
    const user = await create()
    await server.owner.query(`update members set roles = '{approver}' where id = $1`, [user.id])
    for (const answer of [
      await patch(user.id, { op: 'replace', path: 'externalId', value: 'mallory' }),
      await patch(user.id, { op: 'replace', value: { externalId: 'mallory' } }),
      await patch(user.id, { op: 'add', path: `${core}:User:externalId`, value: 'mallory' }),
      await server.call('PUT', `/Users/${user.id}`, { ...user, schemas: [`${core}:User`], externalId: 'mallory' }),
    ])
      expect(scimType(answer)).toEqual([400, 'mutability'])
    expect(await member(user.id)).toMatchObject({ subject: user.externalId })
  })

  test('the people who made the token can’t give roles to themselves by it, and can be suspended by it', async () => {
    const sub = 'tina'
    const token = await server.provider.token('northwind', {
      sub,
      preferred_username: 'tina',
      realm_access: { roles: ['tenant_admin'] },
    })
    const { principal } = payload<Me>(await me(token))
    const { token: own } = payload<{ token: string }>(
      await server.api.mutate(token, 'connectionTokens.create', {
        name: 'Mine',
        serviceAccountId: server.accountId,
        use: 'scim',
      }),
    )
    const operations = (value: unknown) => ({ schemas: [patchSchema], Operations: [{ op: 'add', value }] })
    const answer = await server.call('PATCH', `/Users/${principal.id}`, operations({ roles: ['auditor'] }), {
      token: own,
    })
    expect([answer.status, detail(answer)]).toEqual([403, expect.stringContaining('your own roles')])
    expect(await actions(principal.id)).toContain('member.updated.refused')

    // Nor a seat: not by joining a mapped group, and not by renaming theirs to one.
    const group = { schemas: [`${core}:Group`], displayName: 'Risk', members: [{ value: principal.id }] }
    expect((await server.call('POST', '/Groups', { ...group, displayName: 'Mine' }, { token: own })).status).toBe(201)
    const named = await server.call('GET', '/Groups', undefined, { token: own })
    const idOf = (name: string) =>
      (named.body as { Resources: User[] }).Resources.find(({ displayName }) => displayName === name)?.id ?? ''
    for (const [path, body] of [
      [`/Groups/${idOf('Risk')}`, group],
      [`/Groups/${idOf('Mine')}`, group],
    ] as const) {
      await server.call('DELETE', `/Groups/${path.endsWith(idOf('Mine')) ? idOf('Risk') : 'none'}`, undefined, {
        token: own,
      })
      const refused = await server.call('PUT', path, body, { token: own })
      expect([refused.status, detail(refused)]).toEqual([403, expect.stringContaining('can’t get a seat')])
    }
    expect((await server.call('POST', '/Groups', group, { token: own })).status).toBe(403)
    const seats = await server.owner.query('select name from mapped_members where member_id = $1', [principal.id])
    expect(seats.rows).toEqual([{ name: 'Mine' }])
    expect(
      (await server.call('PATCH', `/Users/${principal.id}`, operations({ active: false }), { token: own })).status,
    ).toBe(200)
    expect((await me(token)).status).toBe(403)
  })
})

describe('groups of the provider', () => {
  type Provisioned = {
    items: { id: string; name: string; members: { id: string }[]; memberCount: number; approverGroups: string[] }[]
    issuer: string | null
  }
  const shown = async (token: string) =>
    payload<Provisioned>(await server.api.query(token, 'groups.listProvisioned', { limit: 200 }))

  test('are shown to the tenant’s administrators, with their first members and the approver groups that take them', async () => {
    const members = []
    for (let n = 0; n < 21; n += 1) members.push(await create())
    const made = await server.call('POST', '/Groups', {
      schemas: [`${core}:Group`],
      displayName: 'Claims leads',
      externalId: 'claims-leads',
      members: members.map(({ id }) => ({ value: id })),
    })
    const { id } = made.body as { id: string }
    const found = async () => (await shown(server.admin.northwind)).items.find((group) => group.id === id)
    expect(await found()).toMatchObject({
      name: 'Claims leads',
      externalId: 'claims-leads',
      memberCount: 21,
      approverGroups: [],
    })
    expect((await found())?.members).toHaveLength(20)
    await server.owner.query(
      `insert into group_mappings (tenant_id, id, group_id, issuer, name)
       select tenant_id, gen_random_uuid(), id, $1, 'Claims leads' from approver_groups where name = 'escalation'
         and tenant_id in (select id from tenants where slug = 'northwind')`,
      [server.provider.realm('northwind')],
    )
    expect((await found())?.approverGroups).toEqual(['Escalation'])
    expect((await shown(server.admin.northwind)).issuer).toBe(server.provider.realm('northwind'))
    expect((await shown(server.admin.globex)).items.map(({ name }) => name)).not.toContain('Claims leads')
    const viewer = await signIn(members[0]?.externalId ?? '', ['viewer'])
    expect((await server.api.query(viewer, 'groups.listProvisioned')).status).toBe(403)

    expect((await server.call('DELETE', `/Users/${members[0]?.id}`)).status).toBe(204)
    expect((await found())?.memberCount).toBe(20)
  })
})

describe('members of Countersign’s own realm', () => {
  test('do not exist for SCIM, nor do service accounts', async () => {
    const { rows } = await server.owner.query<{ id: string; username: string; subject: string; email: string | null }>(
      `select m.* from members m join tenants t on t.id = m.tenant_id where t.slug = 'northwind' and m.issuer = '/realms/northwind' and m.status = 'active'`,
    )
    expect(rows.length).toBeGreaterThan(5)
    const before = JSON.stringify(rows)
    for (const { id, username, subject, email } of rows) {
      const whole = newUser({ userName: username })
      const answers = [
        await server.call('GET', `/Users/${id}`),
        await server.call('PUT', `/Users/${id}`, whole),
        await setActive(id, false),
        await server.call('DELETE', `/Users/${id}`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
      const filter = `id eq "${id}" or userName eq "${username}" or externalId eq "${subject}" or emails.value eq "${email ?? subject}"`
      const found = await server.call('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      expect((found.body as { totalResults: number }).totalResults).toBe(0)
      const group = { schemas: [`${core}:Group`], displayName: `with ${id}`, members: [{ value: id }] }
      expect(scimType(await server.call('POST', '/Groups', group))).toEqual([400, 'invalidValue'])
    }
    const { rows: after } = await server.owner.query('select * from members where id = any($1)', [
      rows.map(({ id }) => id),
    ])
    expect(after.map((row) => JSON.stringify(row)).sort()).toEqual(
      (JSON.parse(before) as unknown[]).map((row) => JSON.stringify(row)).sort(),
    )
  })
})

describe('tenants', () => {
  test('do not see, change or find each other’s users and groups', async () => {
    const user = await create()
    const group = (
      await server.call('POST', '/Groups', {
        schemas: [`${core}:Group`],
        displayName: 'Ours',
        members: [{ value: user.id }],
      })
    ).body as User
    const theirs = { token: server.token.globex }
    const whole = newUser({ externalId: user.externalId, userName: user.userName })
    const operations = { schemas: [patchSchema], Operations: [{ op: 'replace', path: 'active', value: false }] }
    const unknown = '01a1f934-0000-7000-8000-000000000001'
    for (const path of ['/Users', '/Groups'])
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', path === '/Users' ? whole : { schemas: [`${core}:Group`], displayName: 'x' }],
        ['PATCH', operations],
        ['DELETE', undefined],
      ] as const) {
        const [there, nowhere] = [
          await server.call(method, `${path}/${path === '/Users' ? user.id : group.id}`, body, theirs),
          await server.call(method, `${path}/${unknown}`, body, theirs),
        ]
        expect([path, method, there.status, there.text]).toEqual([path, method, 404, nowhere.text])
      }
    for (const path of [
      `/Users?filter=${encodeURIComponent(`id eq "${user.id}" or externalId eq "${user.externalId}"`)}`,
      '/Groups',
    ])
      expect((await server.call('GET', path, undefined, theirs)).body).toMatchObject({ totalResults: 0 })
    const foreign = { schemas: [`${core}:Group`], displayName: 'Theirs', members: [{ value: user.id }] }
    expect(scimType(await server.call('POST', '/Groups', foreign, theirs))).toEqual([400, 'invalidValue'])
    // The same subject and name are free in the other tenant, and its issuer is another one.
    const made = await server.call('POST', '/Users', whole, theirs)
    expect(made.status).toBe(201)
    expect(await member(userIn(made).id)).toMatchObject({ issuer: server.provider.realm('globex') })
    const headers = {
      'x-svc-tenant-external-id':
        server.api.credentials.tenants.find(({ slug }) => slug === 'globex')?.externalId ?? '',
    }
    expect((await server.call('GET', '/Users', undefined, { headers })).status).toBe(403)
  })

  test('without an external provider are refused with what to configure', async () => {
    const plain = await server.makeToken({}, 'northwind')
    await server.owner.query(`update tenants set external_id = 'org-moved' where slug = 'northwind'`)
    try {
      const answer = await server.call('GET', '/Users', undefined, { token: plain.token })
      expect([answer.status, detail(answer)]).toEqual([403, expect.stringContaining('TRUSTED_ISSUERS')])
    } finally {
      await server.owner.query(`update tenants set external_id = $1 where slug = 'northwind'`, [
        server.api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.externalId,
      ])
    }
  })
})

describe('a credential', () => {
  const paths = ['/Users', '/Groups', '/ServiceProviderConfig', '/ResourceTypes', '/Schemas', '/nowhere']
  const everywhere = async (token: string, headers: Record<string, string> = {}) =>
    new Set(
      await Promise.all(
        paths.map(async (path) => (await server.call('GET', path, undefined, { token, headers })).status),
      ),
    )

  test('that is no longer valid, or never was, is 401 in the form of SCIM', async () => {
    const [revoked, expired] = [await server.makeToken(), await server.makeToken()]
    expect(await everywhere(revoked.token)).toEqual(new Set([200, 404]))
    await server.api.mutate(server.admin.northwind, 'connectionTokens.revoke', { id: revoked.id })
    await server.owner.query('update connection_tokens set expires_at = clock_timestamp() where id = $1', [expired.id])
    for (const token of [revoked.token, expired.token, `${expired.token}x`, 'cst_x', 'nonsense'])
      expect([token, await everywhere(token)]).toEqual([token, new Set([401])])
    const answer = await server.call('GET', '/Users', undefined, { token: revoked.token })
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    expect(answer.headers.get('content-type')).toBe('application/scim+json')
    expect(answer.body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '401',
      detail: expect.any(String),
    })
    expect((await server.api.request(undefined, '/scim/v2/Users')).status).toBe(401)
  })

  test('for another use, of a person, or from a web page reaches nothing', async () => {
    const sender = await server.api.mutate(server.admin.northwind, 'serviceAccounts.create', {
      name: 'Sender',
      roles: ['traces:write'],
    })
    const { rows } = await server.owner.query<{ id: string }>('select id from members where username = $1', [
      payload<{ clientId: string }>(sender).clientId,
    ])
    const telemetry = await server.makeToken({ use: 'telemetry', serviceAccountId: rows[0]?.id })
    for (const token of [telemetry.token, server.admin.northwind, await server.api.person('tom')])
      expect(await everywhere(token)).toEqual(new Set([403]))
    expect(await everywhere(server.token.northwind, { origin: 'https://evil.example' })).toEqual(new Set([403]))
    const body = newUser()
    expect((await server.call('POST', '/Users', body, { token: await server.api.person('tom') })).status).toBe(403)
  })

  test('for SCIM reaches nothing else', async () => {
    for (const path of ['/v1/session.me', '/v1/members.list', '/v1/catalog', '/v1/health/ready'])
      expect([path, (await server.api.request(server.token.northwind, path)).status]).toEqual([
        path,
        path.includes('health') ? 200 : 403,
      ])
  })
})

describe('every address', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  const calls = scimRoutes.flatMap(([path]) =>
    methods.map((method) => ({
      method,
      address: path.slice('/scim/v2'.length).replace(':id', 'x').replace(':path{.+}', 'nowhere'),
    })),
  )

  test('answers in the form of SCIM, with the headers of the rest of the API, and 405 for a method that it lacks', async () => {
    expect(calls.length).toBeGreaterThan(60)
    const person = await server.api.person('tom')
    for (const { method, address } of calls) {
      const body = method === 'GET' ? undefined : '{}'
      const [stranger, member] = [
        await server.call(method, address, body, { token: 'nonsense' }),
        await server.call(method, address, body, { token: person }),
      ]
      const what = `${method} ${address}`
      const lacks = stranger.status === 405
      expect([what, stranger.status, member.status]).toEqual([what, lacks ? 405 : 401, lacks ? 405 : 403])
      expect([what, lacks ? stranger.headers.get('allow')?.split(', ').includes(method) : false]).toEqual([what, false])
      for (const { status, headers, text } of [stranger, member]) {
        expect([what, headers.get('content-type')]).toEqual([what, 'application/scim+json'])
        expect([what, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
          what,
          'no-store',
          'nosniff',
        ])
        expect([what, headers.get('ratelimit'), headers.get('x-request-id')]).toEqual([
          what,
          expect.any(String),
          expect.any(String),
        ])
        expect(headers.get('content-security-policy'), what).toContain("default-src 'none'")
        expect(JSON.parse(text)).toMatchObject({
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status: String(status),
        })
      }
    }
  })
})

describe('bad input', () => {
  const long = 'x'.repeat(10_240)
  test.each<[string, unknown, number, string | undefined]>([
    ['text that is not JSON', '{', 400, 'invalidSyntax'],
    ['a list', [], 400, 'invalidSyntax'],
    ['null', 'null', 400, 'invalidSyntax'],
    ['an object without schemas', { userName: 'a', externalId: 'a' }, 400, 'invalidSyntax'],
    ['an unknown schema', { schemas: ['urn:example:Robot'], userName: 'a', externalId: 'a' }, 400, 'invalidSyntax'],
    ['the schema of a group', { schemas: [`${core}:Group`], userName: 'a', externalId: 'a' }, 400, 'invalidSyntax'],
    ['no userName', { schemas: [`${core}:User`], externalId: 'a' }, 400, 'invalidValue'],
    ['no externalId', { schemas: [`${core}:User`], userName: 'a' }, 400, 'invalidValue'],
    ['an invisible userName', newUser({ userName: '\u200b' }), 400, 'invalidValue'],
    ['an externalId of two lines', newUser({ externalId: 'a\nb' }), 400, 'invalidValue'],
    ['a userName of 10 KB', newUser({ userName: long }), 400, 'invalidValue'],
    ['an externalId of 10 KB', newUser({ externalId: long }), 400, 'invalidValue'],
    ['a name of 10 KB', newUser({ name: { familyName: long } }), 400, 'invalidValue'],
    ['an address of 10 KB', newUser({ emails: [{ value: `${long}@x.example` }] }), 400, 'invalidValue'],
    ['a number as a name', newUser({ userName: 5 }), 400, 'invalidValue'],
    ['a list as a name', newUser({ name: ['a'] }), 400, 'invalidValue'],
    ['a text as addresses', newUser({ emails: 'a@b.example' }), 400, 'invalidValue'],
    ['a number as active', newUser({ active: 1 }), 400, 'invalidValue'],
    [
      'a name in two spellings',
      `{"schemas": ["${core}:User"], "externalId": "z", "userName": "a", "USERNAME": "b"}`,
      400,
      'invalidSyntax',
    ],
    ['U+0000', `{"schemas": ["${core}:User"], "externalId": "z\\u0000", "userName": "a"}`, 400, undefined],
    [
      'half a surrogate pair',
      `{"schemas": ["${core}:User"], "externalId": "z", "userName": "a\\ud800"}`,
      400,
      undefined,
    ],
    ['a body of 2 MB', newUser({ displayName: 'x'.repeat(2_000_000) }), 413, undefined],
    ['a body that is nested 200 times', `${'['.repeat(200)}${']'.repeat(200)}`, 400, undefined],
  ])('in a new user: %s is refused', async (_name, body, status, type) => {
    const answer = await server.call('POST', '/Users', body)
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)])
    expect(answer.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
    })
    if (type !== undefined) expect(scimType(answer)).toEqual([status, type])
  })

  test('in a query is refused, and never 500', async () => {
    const bad: [string, number][] = [
      ['/Users?filter=userName%20co%20%22a%22', 400],
      ['/Users?filter=shoeSize%20eq%20%22a%22', 400],
      ['/Users?filter=userName%20pr', 400],
      ['/Users?filter=not%20(userName%20eq%20%22a%22)', 400],
      ['/Users?filter=userName%20eq%205', 400],
      ['/Users?filter=active%20eq%20%22perhaps%22', 400],
      [`/Users?filter=${'('.repeat(1000)}`, 400],
      ['/Users?filter=userName%20eq%20%22%00%22', 400],
      ['/Groups?filter=members%20eq%205', 400],
      ['/Users?startIndex=x', 400],
      ['/Users?count=1.5', 400],
      ['/Users?attributes=userName&excludedAttributes=name', 400],
      ['/Schemas?filter=id%20eq%20%22a%22', 403],
      ['/Users/not-an-id', 404],
      ['/Users/%E0%A4%A', 404],
      ['/Groups/01A1F934-0000-7000-8000-000000000001', 404],
      ['/Me', 404],
      ['/Users?startIndex=999999999', 200],
      ['/Users?filter=id%20eq%20%22x%22', 200],
    ]
    for (const [path, status] of bad) expect([path, (await server.call('GET', path)).status]).toEqual([path, status])
    expect((await server.call('POST', '/Bulk', { Operations: [] })).status).toBe(501)
    const plain = { headers: { 'content-type': 'text/plain' } }
    expect((await server.call('POST', '/Users', newUser(), plain)).status).toBe(415)
    const json = { headers: { 'content-type': 'application/json; charset=utf-8' } }
    expect((await server.call('POST', '/Users', newUser(), json)).status).toBe(201)
    const put = await server.call('PUT', '/Users', newUser())
    expect([put.status, put.headers.get('allow'), put.headers.get('content-type')]).toEqual([
      405,
      'GET, HEAD, POST',
      'application/scim+json',
    ])
  })

  test('in a group is refused', async () => {
    const group = (more: Record<string, unknown>) =>
      server.call('POST', '/Groups', { schemas: [`${core}:Group`], ...more })
    for (const more of [
      {},
      { displayName: '' },
      { displayName: 5 },
      { displayName: long },
      { displayName: 'g', members: [{}] },
      { displayName: 'g', members: [{ value: 'x' }] },
      { displayName: 'g', members: 'x' },
    ])
      expect(scimType(await group(more))).toEqual([400, 'invalidValue'])
    expect((await group({ displayName: 'once' })).status).toBe(201)
    expect(scimType(await group({ displayName: 'once' }))).toEqual([409, 'uniqueness'])
  })
})

test('two requests for one subject create one membership', async () => {
  const body = newUser()
  const answers = await Promise.all(Array.from({ length: 6 }, () => server.call('POST', '/Users', body)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
})

test('requests count against the limit of the tenant', async () => {
  const answer = await server.call('GET', '/Users')
  expect(answer.headers.get('ratelimit')).toBeTruthy()
})
