// Longer than other files: two nodes, which take seconds to start, serve every case.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { roleNames, rolePermissions } from '#lib/permissions.ts'
import { collectCatalog } from '#server/catalog.ts'
import { type Answer, payload, reason, type TestApi } from '#server/testing/api.ts'
import type { SecondNode } from '#server/testing/processes/second-node.ts'
import { type TwoNodes, twoNodes } from '#server/testing/processes/two-nodes.ts'
import { until } from '#server/testing/until.ts'

// API keys from the perspective of a script and an administrator: over HTTP, in two tenants, on two nodes.

type Made = {
  apiKey: { id: string; name: string; permissions: string[]; grants: string[] }
  secretId: string
  key: string
  expiresAt: string | null
}

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
const make = async (input: Record<string, unknown> = {}, slug: Slug = 'northwind', token = admin[slug]) =>
  payload<Made>(
    await api.mutate(token, 'secrets.createApiKey', { name: 'reader', permissions: ['decisions:read'], ...input }),
  )
const withKey = (key: string, headers: Record<string, string> = {}, procedure = 'approvals.getPending') =>
  api.query(undefined, procedure, undefined, { 'x-svc-api-key': key, ...headers })
const onNode = (key: string) => fetch(`${node.baseUrl}/v1/approvals.getPending`, { headers: { 'x-svc-api-key': key } })
const tenantOf = (slug: Slug) => {
  const tenant = api.credentials.tenants.find((candidate) => candidate.slug === slug)
  if (tenant === undefined) throw new Error(`unknown tenant ${slug}`)
  return tenant
}
const expire = (secretId: string) =>
  owner.query(`update secrets set expires_at = clock_timestamp() where id = $1`, [secretId])

describe('creation', () => {
  test('returns the key, its record and the permissions that its scopes grant', async () => {
    const made = await make({ permissions: ['decisions:read', 'decisions:write', 'tenant_admin'] })
    expect(made).toEqual({
      apiKey: {
        id: expect.any(String),
        name: 'reader',
        permissions: ['decisions:read', 'decisions:write', 'tenant_admin'],
        grants: ['approval:list'],
      },
      secretId: expect.any(String),
      key: expect.stringMatching(/^cs_[0-9A-Za-z]{49}$/),
      expiresAt: null,
    })
    expect(made.secretId).not.toBe(made.apiKey.id)
  })

  test('stores the SHA-256 of the key, but not the key', async () => {
    const { key, apiKey } = await make()
    const { rows } = await owner.query('select key_sha256 from api_keys where id = $1', [apiKey.id])
    expect(rows[0].key_sha256).toEqual(createHash('sha256').update(key).digest())
  })

  test('shows the key once: a replay returns the same record without it', async () => {
    const headers = { 'idempotency-key': 'make-one-key' }
    const input = { name: 'once', permissions: ['decisions:read'] }
    const first = await api.mutate(admin.northwind, 'secrets.createApiKey', input, headers)
    const { key, ...rest } = payload<Made>(first)
    const second = await api.mutate(admin.northwind, 'secrets.createApiKey', input, headers)
    expect(payload(second)).toEqual(rest)
    expect(second.text).not.toContain(key)
    expect((await withKey(key)).status).toBe(200)
    const other = await api.mutate(admin.northwind, 'secrets.createApiKey', { ...input, name: 'other' }, headers)
    expect([other.status, reason(other)]).toEqual([409, 'event_conflict'])
  })

  test.each<[string, object]>([
    ['no name', { permissions: [] }],
    ['an empty name', { name: ' ', permissions: [] }],
    ['no permissions', { name: 'x' }],
    ['permissions that are not a list', { name: 'x', permissions: 'decisions:read' }],
    ['an expiry in the past', { name: 'x', permissions: [], expiresAt: '2020-01-01T00:00:00.000Z' }],
    ['an expiry that is not a time', { name: 'x', permissions: [], expiresAt: 'tomorrow' }],
    ['an unknown field', { name: 'x', permissions: [], tenantId: 'y' }],
  ])('with %s is 400', async (_name, input) => {
    const answer = await api.mutate(admin.northwind, 'secrets.createApiKey', input)
    expect([answer.status, reason(answer)]).toEqual([400, 'validation_failed'])
  })

  test('requires the permission secret:create', async () => {
    const input = { name: 'x', permissions: [] }
    for (const token of [
      await api.person('maria'),
      await api.client('audit-export'),
      await api.client('decisions-bot'),
    ]) {
      const answer = await api.mutate(token, 'secrets.createApiKey', input)
      expect([answer.status, reason(answer)]).toEqual([403, 'forbidden'])
    }
    expect((await make({}, 'northwind', await api.person('tom'))).key).toBeDefined()
  })
})

/** The specification's table, complete: scope → the operation that it opens. */
const mapping = new Map([['decisions:read', 'approvals.getPending']])
const everyScope = [...roleNames, ...Object.values(rolePermissions).flat(), '*', 'approvals.getPending']

describe('the reach of a key, over every operation of the catalog', () => {
  test.each<[string, string[]]>([
    ['with each scope of the mapping', [...mapping.keys()]],
    ['with every other scope, role and permission', everyScope.filter((scope) => !mapping.has(scope))],
    ['without a scope', []],
  ])('%s', async (_name, permissions) => {
    const { key } = await make({ permissions: [...new Set(permissions)] })
    const opened = new Set(permissions.map((scope) => mapping.get(scope)))
    const reached: string[] = []
    const expected: string[] = []
    for (const { name, method, path, operation } of collectCatalog()) {
      const post = { method, headers: { 'content-type': 'application/json', 'x-svc-api-key': key }, body: '{}' }
      const get = { method, headers: { 'x-svc-api-key': key } }
      const answer = await api.request(
        undefined,
        // Another tenant in the path is refused before the permission is checked.
        path.replace(':externalId', 'org-northwind-mutual').replaceAll(/:\w+(\{[^}]*\})?/g, 'x'),
        method === 'GET' ? get : post,
      )
      if (opened.has(name) || (operation.permission === 'any' && operation.kind === 'query')) expected.push(name)
      if (answer.status !== 403) reached.push(name)
      else expect([name, reason(answer)]).toEqual([name, 'forbidden'])
    }
    // evidence.getExport decides by what was exported, and checks the permission itself.
    expect(reached).toEqual(expected.filter((name) => name !== 'evidence.getExport' || reached.includes(name)))
  })
})

describe('a request with a key', () => {
  test('reads the pending queue of its tenant and nothing else', async () => {
    const { key } = await make()
    const pending = payload<{ items: { approvalId: string; eligible: boolean }[] }>(await withKey(key))
    expect(pending.items.length).toBeGreaterThan(0)
    for (const item of pending.items) expect(item.eligible).toBe(false)
    expect(payload(await withKey(key, {}, 'tenants.current'))).toMatchObject({ id: tenantOf('northwind').id })
    const me = payload<{ principal: object }>(await withKey(key, {}, 'session.me'))
    expect(me.principal).toMatchObject({
      kind: 'api_key',
      displayName: 'reader',
      roles: [],
      permissions: ['approval:list'],
    })
    for (const procedure of ['agents.list', 'executions.list', 'secrets.list', 'audit.list', 'serviceAccounts.list'])
      expect([procedure, (await withKey(key, {}, procedure)).status]).toEqual([procedure, 403])
    const [first] = pending.items
    const decision = { approvalId: first?.approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'x' }
    const decided = await api.mutate(undefined, 'approvals.decide', decision, { 'x-svc-api-key': key })
    expect([decided.status, reason(decided)]).toEqual([403, 'forbidden'])
  })

  test('without the mapped scope reads nothing', async () => {
    const { key, apiKey } = await make({ permissions: ['decisions:write', 'approval:list', 'trace:verify', '*'] })
    expect(apiKey.grants).toEqual([])
    const answer = await withKey(key)
    expect([answer.status, reason(answer)]).toEqual([403, 'forbidden'])
    expect((await withKey(key, {}, 'tenants.current')).status).toBe(200)
  })

  test('works on REST routes and on every node', async () => {
    const { key } = await make()
    const route = await api.request(undefined, '/v1/evidence/export-jobs', { headers: { 'x-svc-api-key': key } })
    expect([route.status, reason(route)]).toEqual([403, 'forbidden'])
    expect((await onNode(key)).status).toBe(200)
  })

  test('acts in the key’s tenant, and no header selects another one', async () => {
    const [ours, theirs] = [await make(), await make({}, 'globex')]
    expect(payload(await withKey(theirs.key, {}, 'tenants.current'))).toMatchObject({ id: tenantOf('globex').id })
    const [northwind, globex] = [tenantOf('northwind'), tenantOf('globex')]
    const named: Record<string, string>[] = [
      { 'x-svc-tenant-external-id': northwind.externalId },
      { 'x-svc-tenant-id': northwind.id },
      { 'x-svc-tenant-external-id': northwind.externalId, 'x-svc-tenant-id': northwind.id },
    ]
    for (const headers of named) expect((await withKey(ours.key, headers)).status).toBe(200)
    const elsewhere: Record<string, string>[] = [
      { 'x-svc-tenant-external-id': globex.externalId },
      { 'x-svc-tenant-id': globex.id },
      { 'x-svc-tenant-external-id': 'org-nowhere' },
      { 'x-svc-tenant-id': 'not-a-uuid' },
      { 'x-svc-tenant-external-id': northwind.externalId, 'x-svc-tenant-id': globex.id },
      { 'x-svc-tenant-external-id': globex.externalId, 'x-svc-tenant-id': northwind.id },
    ]
    for (const headers of elsewhere) {
      const answer = await withKey(ours.key, headers)
      expect([answer.status, answer.text]).toEqual([403, '{"error":"Tenant access denied"}'])
      const route = await api.request(undefined, '/v1/evidence/export-jobs', {
        headers: { 'x-svc-api-key': ours.key, ...headers },
      })
      expect([route.status, route.text]).toEqual([403, '{"error":"Tenant access denied"}'])
    }
  })

  test('is refused with the same message for every invalid key', async () => {
    const { key } = await make()
    const { key: gone, secretId } = await make()
    await api.mutate(admin.northwind, 'secrets.revoke', { id: secretId })
    const wrong = ['', 'x', key.slice(0, -1), `${key}x`, `${key}, ${key}`, key.toLowerCase(), `Bearer ${key}`, gone]
    const said = new Set<string>()
    for (const text of wrong) {
      const answer = await withKey(text)
      expect([text, answer.status]).toEqual([text, 401])
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
      const { error } = answer.body as { error: { json: { message: string } } }
      said.add(error.json.message)
    }
    expect([...said]).toEqual(['The API key is unknown, expired or revoked.'])
    const asToken = await api.query(key, 'approvals.getPending')
    expect(asToken.status).toBe(401)
  })

  test('with a bearer token as well is 400, on both transports, whichever of them is valid', async () => {
    const { key } = await make()
    const token = admin.northwind
    for (const [bearer, apiKey] of [
      [token, key],
      ['x', key],
      [token, 'x'],
      [token, ''],
    ] as const) {
      const headers = { 'x-svc-api-key': apiKey }
      for (const path of ['/v1/approvals.getPending', '/v1/evidence/export-jobs']) {
        const answer = await api.request(bearer, path, { headers })
        expect([answer.status, reason(answer)]).toEqual([400, 'bad_request'])
      }
    }
    const basic = await withKey(key, { authorization: 'Basic eDp5' })
    expect(basic.status).toBe(400)
  })

  test('over a socket acts in the key’s tenant, subscribes only to what it may read, and ends with the key', async () => {
    const { key, apiKey } = await make()
    const open = (text: string) =>
      new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1`, { headers: { 'x-svc-api-key': text } })
    const errorOf = (socket: WebSocket) =>
      new Promise<string>((resolve, reject) => {
        const params = { path: 'traces.stream', input: { json: {} } }
        socket.on('error', reject)
        socket.on('open', () => socket.send(JSON.stringify({ id: 1, method: 'subscription', params })))
        socket.on('message', (data) => {
          if (data.toString().includes('"error"')) resolve(data.toString())
        })
      })
    const wrong = open(`${key.slice(0, -1)}!`)
    expect(await errorOf(wrong)).toContain('"UNAUTHORIZED"')
    wrong.close()
    const socket = open(key)
    expect(await errorOf(socket)).toContain('"FORBIDDEN"')
    const closed = once(socket, 'close')
    await api.mutate(admin.northwind, 'secrets.revoke', { id: apiKey.id })
    expect((await closed)[0]).toBe(4403)
  })
})

describe('revocation', () => {
  test.each(['apiKey.id', 'secretId'])(
    'by %s is permanent and applies from the next request, on every node',
    async (which) => {
      const { key, apiKey, secretId } = await make()
      expect([(await withKey(key)).status, (await onNode(key)).status]).toEqual([200, 200])
      const id = which === 'secretId' ? secretId : apiKey.id
      const revoked = payload<{ secret: { status: string; revokedAt: string }; secretId: string }>(
        await api.mutate(admin.northwind, 'secrets.revoke', { id }),
      )
      expect(revoked).toMatchObject({ secretId, secret: { status: 'revoked', revokedAt: expect.any(String) } })
      expect([(await withKey(key)).status, (await onNode(key)).status]).toEqual([401, 401])
      const again = payload<{ secret: { revokedAt: string } }>(
        await api.mutate(admin.northwind, 'secrets.revoke', { id: secretId }),
      )
      expect(again.secret.revokedAt).toBe(revoked.secret.revokedAt)
      await api.mutate(admin.northwind, 'secrets.archive', { id: secretId })
      expect((await withKey(key)).status).toBe(401)
    },
  )

  test('gives the same not found for another tenant’s key and an unknown one', async () => {
    const theirs = await make({}, 'globex')
    const answers: Answer[] = []
    const ids = [theirs.apiKey.id, theirs.secretId, '01a1f934-0000-7000-8000-000000000001', 'nothing', theirs.key]
    for (const id of ids) answers.push(await api.mutate(admin.northwind, 'secrets.revoke', { id }))
    for (const answer of answers) {
      expect([answer.status, reason(answer)]).toEqual([404, 'not_found'])
      expect(answer.text.replace(/"requestId":"[^"]+"/, '')).toBe(answers[0]?.text.replace(/"requestId":"[^"]+"/, ''))
    }
    expect((await withKey(theirs.key)).status).toBe(200)
  })

  test('of one key does not affect the others', async () => {
    const [one, two] = [await make(), await make()]
    await api.mutate(admin.northwind, 'secrets.revoke', { id: one.apiKey.id })
    expect([(await withKey(one.key)).status, (await withKey(two.key)).status]).toEqual([401, 200])
  })

  test('requires the permission secret:revoke', async () => {
    const { key, apiKey } = await make()
    const answer = await api.mutate(await api.client('audit-export'), 'secrets.revoke', { id: apiKey.id })
    expect([answer.status, (await withKey(key)).status]).toEqual([403, 200])
  })
})

describe('an expired key', () => {
  test('is refused from the next request, on every node, and can be archived', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { key, secretId, ...made } = await make({ expiresAt })
    expect(made.expiresAt).toBe(expiresAt)
    expect([(await withKey(key)).status, (await onNode(key)).status]).toEqual([200, 200])
    const early = await api.mutate(admin.northwind, 'secrets.archive', { id: secretId })
    expect([early.status, reason(early)]).toEqual([409, 'conflict'])
    await expire(secretId)
    expect([(await withKey(key)).status, (await onNode(key)).status]).toEqual([401, 401])
    const secretNow = async (procedure: string) =>
      payload<{ secret: { status: string; revokedAt: string | null } }>(
        await api.mutate(admin.northwind, procedure, { id: secretId }),
      ).secret
    // The key has already expired, so revoking it changes nothing.
    expect(await secretNow('secrets.revoke')).toMatchObject({ status: 'expired', revokedAt: null })
    expect(await secretNow('secrets.archive')).toMatchObject({ status: 'archived' })
  })
})

describe('a key and its creator', () => {
  const readSponsors = async (apiKeyId: string) => {
    const { rows } = await owner.query(
      `select person.username, sponsor.link from members member
         join member_sponsors sponsor on sponsor.tenant_id = member.tenant_id and sponsor.member_id = member.id
         join members person on person.tenant_id = sponsor.tenant_id and person.id = sponsor.person_id
       where member.kind = 'api_key' and member.subject = $1 order by 1`,
      [apiKeyId],
    )
    return rows
  }

  test('are one identity with the person who created the key, even through a service account', async () => {
    const byTom = await make({}, 'northwind', await api.person('tom'))
    expect(await readSponsors(byTom.apiKey.id)).toEqual([{ username: 'tom', link: 'created' }])
    await owner.query(
      `insert into member_sponsors (tenant_id, member_id, person_id, link)
       select machine.tenant_id, machine.id, person.id, 'rotated' from members machine
         join members person on person.tenant_id = machine.tenant_id and person.username = 'tom'
       where machine.username = 'admin-automation' and machine.tenant_id = $1`,
      [tenantOf('northwind').id],
    )
    const byMachine = await make()
    expect(await readSponsors(byMachine.apiKey.id)).toEqual([
      { username: 'admin-automation', link: 'created' },
      { username: 'tom', link: 'created' },
    ])
  })

  test('a key can’t be mistaken for a person by its name', async () => {
    const { apiKey } = await make({ name: 'maria' })
    const { rows } = await owner.query('select username, email from members where subject = $1', [apiKey.id])
    expect(rows).toEqual([{ username: `api-key/${apiKey.id}`, email: null }])
  })

  test('every operation is in the audit log, without the key', async () => {
    const { key, apiKey, secretId } = await make({ name: 'audited' })
    await api.mutate(admin.northwind, 'secrets.revoke', { id: apiKey.id })
    const { rows } = await owner.query<{ type: string; record: { actor: object; details: object } }>(
      `select type, record from audit_records where record->'resource'->>'id' = $1 order by date, seq`,
      [secretId],
    )
    expect(rows.map((row) => row.type)).toEqual(['secret.api_key_created', 'secret.revoked'])
    expect(rows[0]?.record).toMatchObject({
      actor: { type: 'service_account', name: 'admin-automation' },
      details: { name: 'audited', permissions: ['decisions:read'], grants: ['approval:list'], apiKeyId: apiKey.id },
    })
    expect(JSON.stringify(rows)).not.toContain(key)
  })
})

test('the list shows when a key was last used', async () => {
  const { key, secretId } = await make({ name: 'seen' })
  const lastUse = async () => {
    const { items } = payload<{ items: { secretId: string; lastUsedAt: string | null }[] }>(
      await api.query(admin.northwind, 'secrets.list', { kind: 'api_key', limit: 5 }),
    )
    return items.find((item) => item.secretId === secretId)?.lastUsedAt
  }
  expect(await lastUse()).toBe(null)
  const before = Date.now()
  await withKey(key)
  const at = await until(async () => (await lastUse()) ?? undefined, 'the use was recorded')
  expect(Math.abs(Date.parse(at) - before)).toBeLessThan(60_000)
})
