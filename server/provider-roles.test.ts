// Longer than other files: one server with two external issuers serves every case, in the order of one tenant's life.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Group, Member } from '#lib/schemas/members.ts'
import type { RoleMappingEntry, SettingValue, TenantSettings } from '#lib/schemas/tenants.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { type ForeignIssuer, foreignIssuer, serviceAccount } from '#server/testing/fakes/foreign-issuer.ts'
import { until } from '#server/testing/until.ts'
import { runTenantCommand } from './tenant-command.ts'

// Roles and seats that the tokens of other identity providers give, over the real server.

let keycloak: ForeignIssuer
let partner: ForeignIssuer
let api: TestApi
let owner: Client
let folder: string
beforeAll(async () => {
  keycloak = await foreignIssuer()
  partner = await foreignIssuer()
  folder = await mkdtemp(join(tmpdir(), 'countersign-provider-'))
  const file = join(folder, 'issuers.json')
  const trusted = {
    issuer: partner.realm('partners'),
    audience: 'countersign',
    tenant: 'acme',
    clientIds: ['countersign-console'],
    algorithms: ['RS256'],
    tokenTypes: ['JWT'],
  }
  await writeFile(file, JSON.stringify({ issuers: [trusted] }))
  api = await startApi({ AUTH_URL: keycloak.origin, TRUSTED_ISSUERS: file })
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  for (const slug of ['acme', 'beta']) {
    await run('create', slug, '--admin', `ada@${slug}.example`, '--approvers', `bo@${slug}.example`)
    await signIn('bo', ['approver'], slug)
    await run('seat', slug, '--group', 'change-approvers', '--person', `bo@${slug}.example`)
  }
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
  await Promise.all([keycloak.close(), partner.close(), rm(folder, { recursive: true })])
})

const run = (...words: string[]) =>
  runTenantCommand(
    () =>
      loadConfig({
        PORT: new URL(api.baseUrl).port,
        DATABASE_URL: api.ownerUrl,
        DATA_DIR: join(dirname(api.gate), 'data'),
        AUTH_URL: keycloak.origin,
        LOG_LEVEL: 'error',
      }),
    words,
    () => undefined,
  )

type Me = { principal: { id: string; roles: string[]; groups: string[] } }
const me = async (token: string) => payload<Me>(await api.query(token, 'session.me')).principal

// Each token is newer than the one before, by the second that `iat` can tell.
let issued = Math.floor(Date.now() / 1000) - 3000
const tokenOf = (name: string, claims: Record<string, unknown>, realm = 'acme', at = keycloak) => {
  issued += 1
  const person = { sub: `${realm}-${name}`, preferred_username: name, name, email: `${name}@${realm}.example` }
  return at.token(realm, { ...person, iat: issued, exp: issued + 80_000, ...claims })
}
/** The person's newest token, which names these roles where Keycloak puts them. The server has seen it. */
async function signIn(name: string, roles: string[], realm = 'acme', claims: Record<string, unknown> = {}) {
  const token = await tokenOf(name, { realm_access: { roles }, ...claims }, realm)
  expect((await api.query(token, 'session.me')).status).toBe(200)
  return token
}

type Settings = { settings: TenantSettings; revision: number; issuers: string[] }
const settingsNow = async (admin: string) => payload<Settings>(await api.query(admin, 'tenants.getSettings'))
async function ask(admin: string, patch: Record<string, SettingValue>) {
  const { revision } = await settingsNow(admin)
  return await api.mutate(admin, 'tenants.updateSettings', {
    expectedRevision: revision,
    reason: 'As agreed.',
    ...patch,
  })
}
const decide = (token: string, approvalId: string, decision = 'approve') =>
  api.mutate(token, 'approvals.decide', {
    approvalId,
    decision,
    decisionAcknowledged: true,
    reason: 'Read and found right.',
  })
type Change = { change: { approvalId: string } | null }
const approvalIn = (answer: Parameters<typeof payload>[0]) => payload<Change>(answer).change?.approvalId ?? ''

const memberNamed = async (admin: string, name: string) => {
  const { items } = payload<{ items: Member[] }>(await api.query(admin, 'members.list', { limit: 200 }))
  const found = items.find(({ username }) => username === name)
  if (found === undefined) throw new Error(`unknown member ${name}`)
  return found
}
const actionsOn = async (memberId: string) =>
  (
    await owner.query(
      `select record->>'action' as action, record->'details' as details from audit_records
       where record->'resource'->>'id' = $1 order by created_at, seq`,
      [memberId],
    )
  ).rows as { action: string; details: Record<string, unknown> }[]

/** A socket that watches the session: whether it was admitted, and how it was closed. */
function openSocket(token: string) {
  const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
  const state = { messages: [] as string[], closed: undefined as string | undefined }
  socket.on('open', () => {
    socket.send(JSON.stringify({ method: 'connectionParams', data: { authorization: `Bearer ${token}` } }))
    socket.send(
      JSON.stringify({ id: 1, method: 'subscription', params: { path: 'session.watch', input: { json: {} } } }),
    )
  })
  socket.on('message', (message) => state.messages.push(String(message)))
  socket.on('close', (_code, text) => {
    state.closed = String(text)
  })
  const watching = () =>
    until(async () => (state.messages.some((text) => text.includes('watching')) ? true : undefined), 'the first event')
  return { state, watching, close: () => socket.terminate() }
}

const realm = () => keycloak.realm('acme')
const mapping = (): RoleMappingEntry[] => [
  { issuer: realm(), name: 'admins', role: 'tenant_admin' },
  { issuer: realm(), name: 'deciders', role: 'approver' },
  { issuer: realm(), name: 'staff', role: 'operator' },
]

describe('while memberships decide', () => {
  test('the default is the membership, and the issuers that a mapping may name are listed', async () => {
    const ada = await signIn('ada', ['tenant_admin'])
    const { settings, issuers } = await settingsNow(ada)
    expect(settings).toMatchObject({
      rolesFrom: 'membership',
      roleClaim: 'realm_access.roles',
      roleMapping: [],
      groupClaim: 'groups',
    })
    expect(issuers).toEqual([realm(), partner.realm('partners')])
    expect((await memberNamed(ada, 'bo')).rolesFrom).toBeNull()
  })

  test('settings under which the requester could not correct them are refused, with what the token names', async () => {
    const ada = await signIn('ada', ['tenant_admin', 'offline_access'])
    const unmapped = await ask(ada, { rolesFrom: 'token' })
    expect([unmapped.status, reason(unmapped)]).toEqual([409, 'conflict'])
    expect(unmapped.text).toContain('claim realm_access.roles names tenant_admin, offline_access')
    const missing = await ask(ada, { rolesFrom: 'token', roleClaim: 'groups', roleMapping: mapping() })
    expect(missing.text).toContain('claim groups names nothing')
  })

  test('a refusal of a role names the roles and the claim', async () => {
    const token = await signIn('lou', ['offline_access'])
    const refused = await api.query(token, 'members.list')
    expect([refused.status, reason(refused)]).toEqual([403, 'forbidden'])
    expect(refused.text).toContain(
      'It comes with the role tenant_admin. In your token, the claim realm_access.roles names offline_access.',
    )
  })

  test('a refused client is told which list it must be in', async () => {
    const token = await tokenOf('gus', { azp: 'other' }, 'partners', partner)
    const refused = await api.query(token, 'session.me')
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('clientIds in TRUSTED_ISSUERS')])
  })

  test('a mapping of an unknown issuer is refused, with the issuers that exist', async () => {
    const ada = await signIn('ada', ['tenant_admin'])
    const answer = await ask(ada, { roleMapping: [{ issuer: 'https://other.example', name: 'x', role: 'viewer' }] })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(`Use ${realm()} or ${partner.realm('partners')}.`)
  })

  test.each<[string, Record<string, SettingValue>]>([
    ['a claim with a space', { roleClaim: 'realm access' }],
    ['an unknown role', { roleMapping: [{ issuer: 'https://x', name: 'x', role: 'root' as 'viewer' }] }],
    ['another source', { rolesFrom: 'scim' }],
  ])('%s is refused with 400', async (_name, patch) => {
    expect((await ask(await signIn('ada', ['tenant_admin']), patch)).status).toBe(400)
  })
})

describe('when roles come from tokens', () => {
  const groups = (...names: string[]) => ({ groups: names })
  let ada: string
  let bo: string

  test('a change approver other than the requester approves it, and open sockets of roles that it takes away end', async () => {
    ada = await signIn('ada', ['tenant_admin'], 'acme', groups('admins'))
    bo = await signIn('bo', ['approver'], 'acme', groups('deciders'))
    const cy = openSocket(await signIn('cy', ['viewer', 'operator'], 'acme', groups('staff')))
    const dee = openSocket(await signIn('dee', ['viewer'], 'acme', groups('viewer')))
    await Promise.all([cy.watching(), dee.watching()])
    const asked = await ask(ada, { rolesFrom: 'token', roleClaim: 'groups', roleMapping: mapping() })
    const approvalId = approvalIn(asked)
    const shown = await api.query(bo, 'approvals.get', { approvalId })
    expect(shown.text).toContain('Each token sets the roles of its member')
    expect(payload<{ risk: string }>(shown)).toMatchObject({ risk: 'critical' })
    expect((await settingsNow(ada)).settings.rolesFrom).toBe('membership')
    expect((await decide(ada, approvalId)).status).toBe(403)
    expect(payload<{ status: string }>(await decide(bo, approvalId)).status).toBe('approved')
    expect((await settingsNow(ada)).settings).toMatchObject({ rolesFrom: 'token', roleMapping: mapping() })
    await until(async () => cy.state.closed, 'the end of the socket whose roles changed')
    expect(dee.state.closed).toBeUndefined()
    dee.close()
  })

  test('a role counts from the next token, and is lost with the next token, also for an older one', async () => {
    const first = await tokenOf('eve', groups('staff', 'unknown'))
    expect((await me(first)).roles).toEqual(['operator'])
    const more = await tokenOf('eve', groups('staff', 'viewer', 'deciders'))
    expect((await me(more)).roles).toEqual(['viewer', 'operator', 'approver'])
    expect((await me(first)).roles).toEqual(['operator'])
    const socket = openSocket(more)
    await socket.watching()
    const less = await tokenOf('eve', groups('viewer'))
    expect((await me(less)).roles).toEqual(['viewer'])
    await until(async () => socket.state.closed, 'the end of the socket whose role was taken')
    expect((await me(more)).roles).toEqual(['viewer'])
    const { id, roles, rolesFrom, tokenIssuedAt } = await memberNamed(ada, 'eve')
    expect({ roles, rolesFrom }).toEqual({ roles: ['viewer'], rolesFrom: realm() })
    expect(tokenIssuedAt).toBe(new Date(issued * 1000).toISOString())
    expect((await actionsOn(id)).filter(({ action }) => action === 'member.roles_from_token')).toEqual([
      expect.objectContaining({
        details: expect.objectContaining({ before: ['operator'], after: ['viewer', 'operator', 'approver'] }),
      }),
      expect.objectContaining({ details: expect.objectContaining({ after: ['viewer'], claim: 'groups' }) }),
    ])
  })

  test.each<[string, Record<string, unknown>]>([
    ['names guarded roles without a mapping', { groups: ['tenant_admin', 'privacy_officer', 'approver'] }],
    ['names roles in another claim', { realm_access: { roles: ['viewer', 'tenant_admin'] } }],
    ['lacks the claim', { groups: undefined, realm_access: undefined }],
    ['has another shape there', { groups: { admins: true } }],
    ['names a mapped name in other letters', { groups: ['Admins', 'admins ', 'ADMINS'] }],
  ])('a token that %s gives none of them', async (name, claims) => {
    const person = `f-${name.replaceAll(' ', '-')}`
    expect((await me(await tokenOf(person, groups('viewer')))).roles).toEqual(['viewer'])
    expect((await me(await tokenOf(person, claims))).roles).toEqual([])
  })

  test('a mapped name of another issuer gives nothing', async () => {
    const token = await tokenOf('gus', { ...groups('admins', 'viewer') }, 'partners', partner)
    expect((await me(token)).roles).toEqual(['viewer'])
  })

  test('a machine gets no guarded role', async () => {
    const token = await tokenOf('bot', { ...serviceAccount('robot'), ...groups('admins', 'deciders', 'staff') })
    expect((await me(token)).roles).toEqual(['operator'])
  })

  test('Countersign refuses to set the roles, and suspends at once', async () => {
    const token = await tokenOf('hal', groups('staff'))
    await me(token)
    const { id, revision } = await memberNamed(ada, 'hal')
    const set = await api.mutate(ada, 'members.setRoles', { id, expectedRevision: revision, roles: ['viewer'] })
    expect([set.status, reason(set)]).toEqual([409, 'external_identity'])
    const socket = openSocket(token)
    await socket.watching()
    payload(await api.mutate(ada, 'members.suspend', { id, reason: 'Left.' }))
    await until(async () => socket.state.closed, 'the end of the socket of a suspended member')
    expect((await api.query(await tokenOf('hal', groups('staff', 'admins')), 'session.me')).status).toBe(403)
    expect((await memberNamed(ada, 'hal')).roles).toEqual(['operator'])
  })

  test('ten first requests with one newer token change the roles once', async () => {
    await me(await tokenOf('ida', groups('viewer')))
    const token = await tokenOf('ida', groups('viewer', 'staff'))
    const all = await Promise.all(Array.from({ length: 10 }, () => me(token)))
    expect(all.map(({ roles }) => roles)).toEqual(all.map(() => ['viewer', 'operator']))
    const records = await actionsOn(all[0]?.id ?? '')
    expect(records.filter(({ action }) => action === 'member.roles_from_token')).toHaveLength(1)
  })

  test('another tenant is not affected', async () => {
    const token = await signIn('cleo', ['viewer'], 'beta', groups('admins', 'staff'))
    expect((await me(token)).roles).toEqual(['viewer'])
  })

  describe('a group of the provider', () => {
    const listed = async (name = 'change-approvers') =>
      payload<{ items: Group[] }>(await api.query(ada, 'groups.list')).items.find((group) => group.name === name)
    const change = async (mappings: { issuer: string; name: string }[], name?: string) => {
      const group = await listed(name)
      return await api.mutate(ada, 'groups.setMembers', {
        id: group?.id,
        expectedRevision: group?.revision,
        memberIds: group?.members.map(({ id }) => id),
        mappings,
      })
    }

    test('decides for an approver group after approval, from the next token of its members on', async () => {
      const kim = await tokenOf('kim', groups('deciders', 'change-board'))
      expect((await me(kim)).groups).toEqual([])
      const unknown = await change([{ issuer: 'https://other.example', name: 'change-board' }])
      expect([unknown.status, unknown.text.includes(realm())]).toEqual([400, true])
      const approvalId = approvalIn(await change([{ issuer: realm(), name: 'change-board' }]))
      const shown = await api.query(bo, 'approvals.get', { approvalId })
      expect(shown.text).toContain('In these groups now: kim.')
      expect(payload(await decide(bo, approvalId))).toMatchObject({ status: 'approved' })
      expect(await listed()).toMatchObject({
        mappings: [{ issuer: realm(), name: 'change-board' }],
        mappedMembers: [],
      })
      const newer = await tokenOf('kim', groups('deciders', 'change-board'))
      expect((await me(newer)).groups).toEqual(['change-approvers'])
      expect((await listed())?.mappedMembers).toEqual([
        expect.objectContaining({ username: 'kim', source: 'token', group: 'change-board' }),
      ])
      expect((await memberNamed(ada, 'kim')).groups).toEqual(['Change approvers'])
      // Someone of another issuer in a group of that name is not in it.
      expect((await me(await tokenOf('gus', groups('change-board'), 'partners', partner))).groups).toEqual([])

      const next = approvalIn(await ask(ada, { groupClaim: 'teams' }))
      expect(payload(await api.query(newer, 'approvals.get', { approvalId: next }))).toMatchObject({ eligible: true })
      const mine = payload<{ items: { approvalId: string }[] }>(
        await api.query(newer, 'approvals.getPending', { view: 'needs-me' }),
      )
      expect(mine.items.map((item) => item.approvalId)).toContain(next)

      const old = `update member_tokens set issued_at = now() - interval '24 hours 1 second' where member_id = $1`
      const { rows } = await owner.query('select id from members where subject = $1', ['acme-kim'])
      await owner.query(old, [rows[0]?.id])
      expect((await listed())?.mappedMembers).toEqual([])
      const latest = await tokenOf('kim', groups('deciders', 'change-board'))
      expect(payload(await decide(latest, next))).toMatchObject({ status: 'approved' })

      const left = await tokenOf('kim', groups('deciders'))
      expect((await me(left)).groups).toEqual([])
      const records = (await actionsOn(rows[0]?.id)).filter(({ action }) => action === 'member.groups_named')
      expect(records.map(({ details }) => [details.joined, details.left])).toEqual([
        [['change-board'], []],
        [[], ['change-board']],
      ])
    })

    test('is not mapped by one of its members, as the newest tokens name them', async () => {
      await ask(ada, { groupClaim: 'groups' }).then(async (answer) => decide(bo, approvalIn(answer)))
      const asked = () => change([{ issuer: realm(), name: 'bo-team' }], 'escalation')
      const before = await tokenOf('bo', groups('deciders'))
      await me(before)
      const approvalId = approvalIn(await asked())
      bo = await tokenOf('bo', groups('deciders', 'bo-team'))
      const joined = await decide(bo, approvalId)
      expect([joined.status, reason(joined)]).toEqual([403, 'separation_of_duties'])
      expect(payload(await decide(bo, approvalId, 'reject'))).toMatchObject({ status: 'rejected' })
      const none = await asked()
      expect([none.status, reason(none)]).toEqual([409, 'no_eligible_approver'])
      const kim = await tokenOf('kim', groups('deciders', 'change-board'))
      await me(kim)
      const again = approvalIn(await asked())
      expect(payload(await api.query(bo, 'approvals.get', { approvalId: again }))).toMatchObject({ eligible: false })
      expect(payload(await decide(kim, again))).toMatchObject({ status: 'approved' })
    })
  })

  test('a change back is approved too, and memberships keep the roles of the last token', async () => {
    bo = await tokenOf('bo', groups('deciders'))
    const eve = openSocket(await tokenOf('eve', groups('viewer')))
    await eve.watching()
    const approvalId = approvalIn(await ask(ada, { rolesFrom: 'membership' }))
    expect(payload(await decide(bo, approvalId))).toMatchObject({ status: 'approved' })
    expect((await me(await tokenOf('eve', groups('viewer', 'staff')))).roles).toEqual(['viewer'])
    expect(eve.state.closed).toBeUndefined()
    eve.close()
    const { id, revision } = await memberNamed(ada, 'eve')
    payload(
      await api.mutate(ada, 'members.setRoles', { id, expectedRevision: revision, roles: ['viewer', 'operator'] }),
    )
    expect((await me(await tokenOf('eve', groups('viewer', 'staff')))).roles).toEqual(['viewer', 'operator'])
  })
})
