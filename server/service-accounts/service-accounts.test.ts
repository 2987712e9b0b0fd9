import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'
import { payload, reason, type TestApi } from '#server/testing/api.ts'
import type { SecondNode } from '#server/testing/processes/second-node.ts'
import { type TwoNodes, twoNodes } from '#server/testing/processes/two-nodes.ts'
import { until } from '#server/testing/until.ts'

// Service accounts over HTTP, in two tenants: created, rotated with an overlap, disabled and enabled.

type Made = { clientId: string; clientSecret: string; name: string; roles: string[] }
type Rotated = { clientId: string; clientSecret: string; notAfter: string }

let api: TestApi
let node: SecondNode
let owner: Client
let admin: TwoNodes['admin']
let close: TwoNodes['close']
beforeAll(async () => {
  ;({ api, node, owner, admin, close } = await twoNodes())
}, 180_000)
afterAll(() => close())

type Slug = keyof TwoNodes['admin']
let made = 0
const call = (procedure: string, input: unknown, token = admin.northwind, headers = {}) =>
  api.mutate(token, `serviceAccounts.${procedure}`, input, headers)
const make = async (input: Record<string, unknown> = {}, slug: Slug = 'northwind') => {
  made += 1
  return payload<Made>(await call('create', { name: `Robot ${made}`, roles: ['viewer'], ...input }, admin[slug]))
}
const tokenOf = async (clientId: string, clientSecret: string, slug: Slug = 'northwind', baseUrl = api.baseUrl) => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const response = await fetch(`${baseUrl}/realms/${slug}/protocol/openid-connect/token`, { method: 'POST', body })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  return { status: response.status, token: token ?? '' }
}
const listed = async (clientId: string, token = admin.northwind): Promise<ServiceAccount | undefined> => {
  const { items } = payload<{ items: ServiceAccount[] }>(await api.query(token, 'serviceAccounts.list', { limit: 200 }))
  return items.find((item) => item.clientId === clientId)
}
const permissionsOf = async (token: string) =>
  payload<{ principal: { permissions: string[] } }>(await api.query(token, 'session.me')).principal.permissions

describe('creation', () => {
  test('returns an account that gets tokens with its roles, and shows the secret once', async () => {
    const headers = { 'idempotency-key': 'make-one-account' }
    const input = { name: 'Köhler deploys', roles: ['decisions:read', 'traces:write'] }
    const account = payload<Made>(await call('create', input, admin.northwind, headers))
    expect(account).toEqual({
      clientId: 'kohler-deploys',
      clientSecret: expect.stringMatching(/^[\w-]{43}$/),
      name: 'Köhler deploys',
      roles: ['decisions:read', 'traces:write'],
    })
    const { clientSecret, ...rest } = account
    const replay = await call('create', input, admin.northwind, headers)
    expect(payload(replay)).toEqual(rest)
    expect(replay.text).not.toContain(clientSecret)
    const { token } = await tokenOf(account.clientId, clientSecret)
    expect((await permissionsOf(token)).sort()).toEqual(['approval:list', 'telemetry:write', 'trace:read'])
    expect((await tokenOf(account.clientId, clientSecret, 'globex')).status).toBe(401)
  })

  test.each(['approver', 'privacy_officer', 'tenant_admin'])(
    'with the role %s is refused, and the attempt is recorded',
    async (role) => {
      const name = `Wants ${role}`
      const answer = await call('create', { name, roles: ['viewer', role] })
      expect([answer.status, reason(answer)]).toEqual([403, 'forbidden'])
      expect(answer.text).toContain(`A service account can’t have the role ${role}`)
      const { rows } = await owner.query(
        `select 1 from audit_records where type = 'service_account.created.refused' and record->'details'->>'name' = $1`,
        [name],
      )
      expect(rows).toHaveLength(1)
      const { rows: left } = await owner.query('select 1 from members where display_name = $1', [name])
      expect(left).toEqual([])
    },
  )

  test('refuses the name of a member or a client', async () => {
    await make({ name: 'Taken' })
    for (const name of ['taken', 'TAKEN!', 'maria', 'ci-pipeline', 'countersign-console']) {
      const answer = await call('create', { name, roles: ['viewer'] })
      expect([name, answer.status, reason(answer)]).toEqual([name, 409, 'name_conflict'])
    }
    expect((await make({ name: 'Taken' }, 'globex')).clientId).toBe('taken')
    expect((await make({ name: '日本' })).clientId).toMatch(/^service-account-[0-9a-f]{8}$/)
    const racing = await Promise.all(
      Array.from({ length: 6 }, () => call('create', { name: 'Race', roles: ['viewer'] })),
    )
    expect(racing.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  })

  test.each<[string, object]>([
    ['no roles', { name: 'x', roles: [] }],
    ['an unknown role', { name: 'x', roles: ['root'] }],
    ['a property of Object.prototype as role', { name: 'x', roles: ['constructor'] }],
    ['no name', { roles: ['viewer'] }],
    ['a secret chosen by the caller', { name: 'x', roles: ['viewer'], clientSecret: 'y' }],
  ])('with %s is 400', async (_name, input) => {
    const answer = await call('create', input)
    expect([answer.status, reason(answer)]).toEqual([400, 'validation_failed'])
  })

  test('requires the permission service-account:manage, as do the other operations', async () => {
    const { clientId } = await make()
    for (const token of [await api.person('maria'), await api.client('audit-export')]) {
      expect((await call('create', { name: 'x', roles: ['viewer'] }, token)).status).toBe(403)
      for (const procedure of ['rotateSecret', 'disable', 'enable'])
        expect((await call(procedure, { clientId }, token)).status).toBe(403)
      expect((await api.query(token, 'serviceAccounts.list')).status).toBe(403)
    }
  })
})

describe('rotation', () => {
  test('leaves two live secrets until the first one expires', async () => {
    const { clientId, clientSecret: first } = await make()
    const before = Date.now()
    const rotated = payload<Rotated>(await call('rotateSecret', { clientId }))
    expect(Math.abs(Date.parse(rotated.notAfter) - before - 86_400_000)).toBeLessThan(60_000)
    for (const secret of [first, rotated.clientSecret]) {
      expect((await tokenOf(clientId, secret)).status).toBe(200)
      expect((await tokenOf(clientId, secret, 'northwind', node.baseUrl)).status).toBe(200)
    }
    const account = await listed(clientId)
    expect(account?.secrets.map((secret) => secret.notAfter)).toEqual([rotated.notAfter, null])
    // Expires the first secret, which has an end, and not the second one.
    await owner.query(
      `update realm_client_secrets set not_after = now() where client_id = $1 and not_after is not null`,
      [clientId],
    )
    expect([(await tokenOf(clientId, first)).status, (await tokenOf(clientId, rotated.clientSecret)).status]).toEqual([
      401, 200,
    ])
    expect((await listed(clientId))?.secrets).toHaveLength(1)
  })

  test('invalidates the old secret as soon as notAfter has passed', async () => {
    const { clientId, clientSecret } = await make()
    const input = { clientId, notAfter: '2020-01-01T00:00:00.000Z' }
    const rotated = payload<Rotated>(await call('rotateSecret', input))
    expect(Date.parse(rotated.notAfter)).toBeGreaterThan(Date.now() - 60_000)
    expect([
      (await tokenOf(clientId, clientSecret)).status,
      (await tokenOf(clientId, rotated.clientSecret)).status,
    ]).toEqual([401, 200])
  })

  test('never postpones an expiry, and allows at most five live secrets', async () => {
    const { clientId } = await make()
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const later = new Date(Date.now() + 7_200_000).toISOString()
    await call('rotateSecret', { clientId, notAfter: soon })
    await call('rotateSecret', { clientId, notAfter: later })
    const ends = async () => (await listed(clientId))?.secrets.map((secret) => secret.notAfter)
    expect(await ends()).toEqual([soon, later, null])
    for (let count = 0; count < 2; count += 1) await call('rotateSecret', { clientId, notAfter: later })
    const sixth = await call('rotateSecret', { clientId, notAfter: later })
    expect([sixth.status, reason(sixth)]).toEqual([409, 'conflict'])
    expect((await ends())?.length).toBe(5)
    const past = new Date().toISOString()
    expect((await call('rotateSecret', { clientId, notAfter: past })).status).toBe(200)
    expect(await ends()).toEqual([null])
    const far = new Date(Date.now() + 31 * 86_400_000).toISOString()
    expect((await call('rotateSecret', { clientId, notAfter: far })).status).toBe(400)
  })

  test('shows the new secret once', async () => {
    const { clientId } = await make()
    const headers = { 'idempotency-key': 'rotate-once' }
    const { clientSecret, ...rest } = payload<Rotated>(
      await call('rotateSecret', { clientId }, admin.northwind, headers),
    )
    const replay = await call('rotateSecret', { clientId }, admin.northwind, headers)
    expect(payload(replay)).toEqual(rest)
    expect((await listed(clientId))?.secrets).toHaveLength(2)
    expect((await tokenOf(clientId, clientSecret)).status).toBe(200)
  })

  test('makes the caller one identity with the account', async () => {
    const { clientId } = await make({ name: 'Sponsored' })
    expect((await listed(clientId))?.sponsors).toMatchObject([
      { person: { username: 'admin-automation' }, link: 'created' },
    ])
    for (let count = 0; count < 2; count += 1) await call('rotateSecret', { clientId }, await api.person('tom'))
    expect((await listed(clientId))?.sponsors).toMatchObject([
      { person: { username: 'admin-automation' }, link: 'created' },
      { person: { username: 'tom', kind: 'person' }, link: 'rotated' },
    ])
  })

  test('is refused to callers without the guarded roles of the account', async () => {
    const { clientId } = await make()
    const setRoles = (roles: string) =>
      owner.query(`update members set roles = $2 where subject = $1`, [clientId, roles])
    await setRoles('{privacy_officer,viewer}')
    const answer = await call('rotateSecret', { clientId })
    expect([answer.status, reason(answer)]).toEqual([403, 'forbidden'])
    expect(answer.text).toContain('privacy_officer')
    expect((await listed(clientId))?.secrets).toHaveLength(1)
    await setRoles('{tenant_admin}')
    expect((await call('rotateSecret', { clientId })).status).toBe(200)
  })
})

describe('a disabled account', () => {
  test('gets no token, and its existing ones are refused from the next request, on every node', async () => {
    const { clientId, clientSecret } = await make({ roles: ['decisions:read'] })
    const { token } = await tokenOf(clientId, clientSecret)
    const onNode = () =>
      fetch(`${node.baseUrl}/v1/approvals.getPending`, { headers: { authorization: `Bearer ${token}` } })
    const statuses = async () => [(await api.query(token, 'approvals.getPending')).status, (await onNode()).status]
    expect(await statuses()).toEqual([200, 200])
    for (let count = 0; count < 2; count += 1)
      expect(payload(await call('disable', { clientId }))).toEqual({ clientId, status: 'disabled' })
    const refused = await api.query(token, 'approvals.getPending')
    expect([refused.status, refused.text]).toEqual([403, '{"error":"Tenant access denied"}'])
    expect(await statuses()).toEqual([403, 403])
    expect((await tokenOf(clientId, clientSecret)).status).toBe(401)
    expect((await tokenOf(clientId, clientSecret, 'northwind', node.baseUrl)).status).toBe(401)
    expect((await listed(clientId))?.status).toBe('disabled')
    const rotated = await call('rotateSecret', { clientId })
    expect([rotated.status, reason(rotated)]).toEqual([409, 'conflict'])

    expect(payload(await call('enable', { clientId }))).toEqual({ clientId, status: 'active' })
    // Tokens from before stay invalid.
    expect(await statuses()).toEqual([401, 401])
    const again = await tokenOf(clientId, clientSecret)
    expect((await api.query(again.token, 'approvals.getPending')).status).toBe(200)
  })

  test('leaves an audit record for each step', async () => {
    const { clientId } = await make()
    for (const procedure of ['rotateSecret', 'disable', 'enable']) await call(procedure, { clientId })
    const { rows } = await owner.query<{ type: string }>(
      `select type from audit_records where record->'resource'->>'id' = $1 order by date, seq`,
      [clientId],
    )
    const acts = ['created', 'secret_rotated', 'disabled', 'enabled']
    expect(rows.map((row) => row.type)).toEqual(acts.map((act) => `service_account.${act}`))
  })
})

test('another tenant’s account, a person and a console client are all the same not found', async () => {
  const theirs = await make({ name: 'Only theirs' }, 'globex')
  const bodies = new Set<string>()
  const { rows } = await owner.query<{ subject: string }>(`select subject from members where username = 'maria'`)
  const ids = [theirs.clientId, 'nothing', 'countersign-console', 'maria', rows[0]?.subject]
  for (const clientId of ids)
    for (const procedure of ['rotateSecret', 'disable', 'enable']) {
      const answer = await call(procedure, { clientId })
      expect([clientId, answer.status]).toEqual([clientId, 404])
      bodies.add(answer.text.replace(/"requestId":"[^"]+"/, '').replace(`serviceAccounts.${procedure}`, ''))
    }
  expect(bodies.size).toBe(1)
  expect((await tokenOf(theirs.clientId, theirs.clientSecret, 'globex')).status).toBe(200)
  expect(await listed(theirs.clientId)).toBe(undefined)
  expect(await listed(theirs.clientId, admin.globex)).toBeDefined()
})

test('the list shows when an account was last used, but not its secret, page by page', async () => {
  const { clientId, clientSecret } = await make()
  expect((await listed(clientId))?.lastUsedAt).toBe(null)
  await tokenOf(clientId, clientSecret)
  const seen = await until(async () => (await listed(clientId))?.lastUsedAt ?? undefined, 'the use was recorded')
  expect(Math.abs(Date.parse(seen) - Date.now())).toBeLessThan(60_000)
  const first = await api.query(admin.northwind, 'serviceAccounts.list', { limit: 2 })
  expect(first.text).not.toContain(clientSecret)
  const { items, nextCursor } = payload<{ items: ServiceAccount[]; nextCursor: string }>(first)
  expect(items[0]?.clientId).toBe(clientId)
  const next = payload<{ items: ServiceAccount[] }>(
    await api.query(admin.northwind, 'serviceAccounts.list', { limit: 2, cursor: nextCursor }),
  )
  const ids = [...items, ...next.items].map((item) => item.id)
  expect(ids).toEqual([...new Set(ids)].sort().reverse())
})
