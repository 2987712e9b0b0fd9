// Longer than other files: two nodes, which take seconds to start, serve every case.
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Secret } from '#lib/schemas/secrets.ts'
import { type Answer, payload, reason, type TestApi } from '#server/testing/api.ts'
import type { SecondNode } from '#server/testing/processes/second-node.ts'
import { type TwoNodes, twoNodes } from '#server/testing/processes/two-nodes.ts'

// Named values over HTTP, in two tenants: who gets NOT_FOUND, who sees what, and that values are never stored or logged
// as plain text.

const value = 'sk-live-correct-horse-battery-staple'

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
type Got = { secret: Secret; secretId: string; value?: string }
let made = 0
const create = async (input: Record<string, unknown> = {}, slug: Slug = 'northwind') => {
  made += 1
  const answer = await api.mutate(admin[slug], 'secrets.create', { name: `model-${made}`, value, ...input })
  return payload<Got>(answer)
}
const get = (id: string, includeValue?: boolean, token = admin.northwind) =>
  api.query(token, 'secrets.get', includeValue === undefined ? { id } : { id, includeValue })
const act = (procedure: 'secrets.revoke' | 'secrets.archive', id: string, token = admin.northwind) =>
  api.mutate(token, procedure, { id })
const expire = (id: string) => owner.query('update secrets set expires_at = clock_timestamp() where id = $1', [id])
const withoutRequestId = (answer: Answer) => answer.text.replace(/"requestId":"[^"]+"/, '')
const createKey = async (slug: Slug = 'northwind') =>
  payload<{ apiKey: { id: string }; secretId: string; key: string }>(
    await api.mutate(admin[slug], 'secrets.createApiKey', { name: 'k', permissions: ['decisions:read'] }),
  )

describe('a value', () => {
  test('is stored, is not in the response, and is read back unchanged', async () => {
    for (const text of [value, 'é→🔑', ' spaces\nand lines ', '{"json":1}', 'x'.repeat(16_384)]) {
      const created = await create({ value: text })
      expect(created).toEqual({
        secretId: created.secret.secretId,
        secret: {
          secretId: expect.any(String),
          kind: 'value',
          name: `model-${made}`,
          status: 'active',
          apiKey: null,
          createdBy: expect.objectContaining({ username: 'admin-automation' }),
          createdAt: expect.any(String),
          expiresAt: null,
          revokedAt: null,
          archivedAt: null,
          lastUsedAt: null,
          destinations: null,
          revision: 1,
        },
      })
      const read = payload<Got>(await get(created.secretId, true))
      expect(read).toEqual({ ...created, value: text })
    }
  })

  test('is returned only on request', async () => {
    const { secretId } = await create()
    for (const answer of [
      await get(secretId),
      await get(secretId, false),
      await api.query(admin.northwind, 'secrets.list'),
    ]) {
      expect(answer.status).toBe(200)
      expect(answer.text).not.toContain(value)
      expect(answer.text).not.toContain('"value":"')
    }
  })

  test('requires secret:read_value; its record requires secret:read', async () => {
    const { secretId } = await create()
    const auditor = await api.client('audit-export')
    expect((await get(secretId, false, auditor)).status).toBe(200)
    const refused = await get(secretId, true, auditor)
    expect([refused.status, reason(refused)]).toEqual([403, 'forbidden'])
    // The response is the same for an unknown id, so a refusal reveals nothing.
    expect(withoutRequestId(await get('nothing', true, auditor))).toBe(withoutRequestId(refused))
    expect((await get(secretId, false, await api.person('maria'))).status).toBe(403)
    expect((await get(secretId, true, await api.person('tom'))).status).toBe(200)
  })

  test('is read only with an audit record that names the reader', async () => {
    const { secretId } = await create()
    const reads = async () =>
      (
        await owner.query(
          `select record from audit_records where type = 'secret.value_read' and record->'resource'->>'id' = $1`,
          [secretId],
        )
      ).rows
    await get(secretId)
    expect(await reads()).toEqual([])
    await get(secretId, true, await api.person('tom'))
    expect(await reads()).toMatchObject([
      { record: { actor: { type: 'person', name: 'tom' }, requestId: expect.any(String) } },
    ])
    // If the log can't be written, the value is not returned.
    await owner.query(`create function no_log() returns trigger language plpgsql as $$ begin raise 'no'; end $$`)
    await owner.query(`create trigger no_log before insert on audit_records for each row execute function no_log()`)
    try {
      const answer = await get(secretId, true)
      expect(answer.status).toBe(500)
      expect(answer.text).not.toContain(value)
    } finally {
      await owner.query('drop function no_log cascade')
    }
    expect((await get(secretId, true)).status).toBe(200)
    expect(await reads()).toHaveLength(2)
  })

  test.each<[string, object]>([
    ['no value', { name: 'x' }],
    ['an empty value', { name: 'x', value: '' }],
    ['a value of more than 16 KiB', { name: 'x', value: 'é'.repeat(8193) }],
    ['a value that is not text', { name: 'x', value: 7 }],
    ['a character that PostgreSQL can’t store', { name: 'x', value: 'a\u0000b' }],
    ['an expiry in the past', { name: 'x', value, expiresAt: '2020-01-01T00:00:00.000Z' }],
  ])('with %s is 400', async (_name, input) => {
    const answer = await api.mutate(admin.northwind, 'secrets.create', input)
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain(value)
  })

  test('has a unique name among the usable values of its tenant', async () => {
    const { secretId } = await create({ name: 'llm' })
    const again = () => api.mutate(admin.northwind, 'secrets.create', { name: 'llm', value })
    expect(reason(await again())).toBe('name_conflict')
    await create({ name: 'llm' }, 'globex')
    await act('secrets.revoke', secretId)
    const racing = await Promise.all(Array.from({ length: 8 }, again))
    expect(racing.map((answer) => answer.status).sort()).toEqual([200, ...Array<number>(7).fill(409)])
  })

  test('is stored once for one Idempotency-Key, and guesses of it can’t be checked against the stored fingerprint', async () => {
    const headers = { 'idempotency-key': 'one-value' }
    const input = { name: 'idempotent', value: 'hunter2' }
    const first = payload<Got>(await api.mutate(admin.northwind, 'secrets.create', input, headers))
    expect(payload(await api.mutate(admin.northwind, 'secrets.create', input, headers))).toEqual(first)
    const other = await api.mutate(admin.northwind, 'secrets.create', { ...input, value: 'hunter3' }, headers)
    expect(reason(other)).toBe('event_conflict')
    const { rows } = await owner.query(
      `select key, fingerprint from idempotency_keys where operation = 'secrets.create'`,
    )
    const keyed = expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/)
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).toEqual({ key: keyed, fingerprint: keyed })
  })
})

describe('the destinations of a value', () => {
  type Bound = { secret: Secret }
  const bind = (id: string, destinations: unknown, expectedRevision = 1, token = admin.northwind) =>
    api.mutate(token, 'secrets.setDestinations', { id, destinations, expectedRevision })

  test('are stored as origins, each once, and shown', async () => {
    const given = ['https://CRM.example/', 'https://crm.example:443', 'http://10.0.0.1:8080']
    const { secretId, secret } = await create({ destinations: given })
    expect(secret.destinations).toEqual(['https://crm.example', 'http://10.0.0.1:8080'])
    const listed = payload<{ items: Secret[] }>(await api.query(admin.northwind, 'secrets.list', { limit: 1 }))
    expect(listed.items).toMatchObject([{ secretId, destinations: secret.destinations }])
  })

  test('are replaced and removed by those who may create secrets, on the known revision, with a record', async () => {
    const { secretId } = await create()
    expect((await bind(secretId, ['https://a.example'], 1, await api.person('vera'))).status).toBe(403)
    const bound = payload<Bound>(await bind(secretId, ['https://a.example']))
    expect(bound.secret).toMatchObject({ destinations: ['https://a.example'], revision: 2 })
    const stale = await bind(secretId, ['https://b.example'])
    expect([stale.status, reason(stale)]).toEqual([409, 'revision_conflict'])
    expect(payload<Bound>(await bind(secretId, null, 2)).secret).toMatchObject({ destinations: null, revision: 3 })
    const { rows } = await owner.query(
      `select record->'details'->'destinations' as destinations from audit_records
       where type = 'secret.destinations_set' and record->'resource'->>'id' = $1 order by seq`,
      [secretId],
    )
    expect(rows).toEqual([{ destinations: ['https://a.example'] }, { destinations: null }])
  })

  test.each([
    ['a path', ['https://crm.example/mcp']],
    ['a user', ['https://me@crm.example']],
    ['a host without a protocol', ['crm.example']],
    ['another protocol', ['ftp://crm.example']],
    ['an empty list', []],
    ['too many', Array.from({ length: 21 }, (_, index) => `https://${index}.example`)],
  ])('with %s are 400', async (_name, destinations) => {
    const { secretId } = await create()
    expect((await bind(secretId, destinations)).status).toBe(400)
    expect((await api.mutate(admin.northwind, 'secrets.create', { name: 'x', value, destinations })).status).toBe(400)
  })

  test('are refused for ended values, API keys and records of another tenant', async () => {
    const { secretId } = await create()
    await act('secrets.revoke', secretId)
    for (const id of [secretId, (await createKey()).secretId])
      expect(reason(await bind(id, ['https://a.example'], 2))).toBe('conflict')
    expect((await bind((await create({}, 'globex')).secretId, ['https://a.example'])).status).toBe(404)
  })
})

describe('not found', () => {
  test('is the response, byte for byte, to every read of a value that does not exist', async () => {
    const unknown = await get('01a1f934-0000-7000-8000-000000000001', true)
    expect([unknown.status, reason(unknown)]).toEqual([404, 'not_found'])
    const [foreign, revoked, archived, expired] = [
      await create({}, 'globex'),
      await create(),
      await create(),
      await create(),
    ]
    await act('secrets.revoke', revoked.secretId)
    await act('secrets.archive', archived.secretId)
    await expire(expired.secretId)
    const { apiKey, secretId: keySecret } = await createKey()
    const foreignKey = await createKey('globex')
    const ids = [
      foreign.secretId,
      revoked.secretId,
      archived.secretId,
      expired.secretId,
      apiKey.id,
      keySecret,
      foreignKey.apiKey.id,
      foreignKey.secretId,
      'nothing',
      "' or true --",
    ]
    for (const id of ids) {
      const answer = await get(id, true)
      expect([id, answer.status, withoutRequestId(answer)]).toEqual([id, 404, withoutRequestId(unknown)])
    }
    // For comparison: the value's own tenant can read it.
    expect((await get(foreign.secretId, true, admin.globex)).status).toBe(200)
  })

  test('does not apply to the record of an ended secret: its lifecycle is readable, without a value', async () => {
    const [revoked, archived, expired] = [await create(), await create(), await create()]
    await act('secrets.revoke', revoked.secretId)
    await act('secrets.archive', archived.secretId)
    await expire(expired.secretId)
    const read = async (id: string) => payload<Got>(await get(id, false))
    expect(await read(revoked.secretId)).toMatchObject({ secret: { status: 'revoked', revokedAt: expect.any(String) } })
    expect(await read(archived.secretId)).toMatchObject({
      secret: { status: 'archived', archivedAt: expect.any(String) },
    })
    expect(await read(expired.secretId)).toMatchObject({ secret: { status: 'expired', expiresAt: expect.any(String) } })
    const { apiKey, secretId } = await createKey()
    const byKeyId = await read(apiKey.id)
    expect(byKeyId).toMatchObject({
      secretId,
      secret: { kind: 'api_key', apiKey: { id: apiKey.id, grants: ['approval:list'] } },
    })
    expect(await read(secretId)).toEqual(byKeyId)
    for (const got of [byKeyId, await read(revoked.secretId)]) expect(got).not.toHaveProperty('value')
  })

  test('is the response to any record of another tenant', async () => {
    const theirs = await create({}, 'globex')
    const unknown = await get('01a1f934-0000-7000-8000-000000000001')
    expect(unknown.status).toBe(404)
    expect(withoutRequestId(await get(theirs.secretId))).toBe(withoutRequestId(unknown))
    for (const procedure of ['secrets.revoke', 'secrets.archive'] as const)
      expect((await act(procedure, theirs.secretId)).status).toBe(404)
    expect(payload<Got>(await get(theirs.secretId, true, admin.globex)).secret.status).toBe('active')
  })
})

describe('an ended value', () => {
  test('is deleted from the database permanently', async () => {
    for (const procedure of ['secrets.revoke', 'secrets.archive'] as const) {
      const { secretId } = await create()
      const ended = payload<Got>(await act(procedure, secretId))
      const { rows } = await owner.query('select sealed_value from secrets where id = $1', [secretId])
      expect(rows).toEqual([{ sealed_value: null }])
      expect(payload<Got>(await act(procedure, secretId))).toEqual(ended)
      // The table refuses to store a value again.
      await expect(owner.query(`update secrets set sealed_value = '\\x00' where id = $1`, [secretId])).rejects.toThrow(
        /check constraint/,
      )
    }
  })

  test('concurrently from several callers is one transition', async () => {
    const { secretId } = await create()
    const answers = await Promise.all(Array.from({ length: 10 }, () => act('secrets.revoke', secretId)))
    const times = answers.map((answer) => payload<Got>(answer).secret)
    expect(new Set(times.map((secret) => secret.revokedAt)).size).toBe(1)
    expect(times.map((secret) => secret.revision)).toEqual(Array(10).fill(2))
  })
})

test('the list returns the tenant’s records page by page, newest first, archived ones only on request', async () => {
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.unshift((await create()).secretId)
  const { secretId: archived } = await create()
  await act('secrets.archive', archived)
  const theirs = await create({}, 'globex')
  type Page = { items: Secret[]; nextCursor: string | null }
  const first = payload<Page>(await api.query(admin.northwind, 'secrets.list', { limit: 2, kind: 'value' }))
  const next = { limit: 1, kind: 'value', cursor: first.nextCursor }
  const second = payload<Page>(await api.query(admin.northwind, 'secrets.list', next))
  expect([...first.items, ...second.items].map((item) => item.secretId)).toEqual(ids)
  const all = payload<Page>(await api.query(admin.northwind, 'secrets.list', { limit: 200, includeArchived: true }))
  const listed = all.items.map((item) => item.secretId)
  expect(listed).toContain(archived)
  expect(listed).not.toContain(theirs.secretId)
  expect((await api.query(await api.person('maria'), 'secrets.list')).status).toBe(403)
})

/** Every column that can contain text or bytes, in the product's tables and the queue's. */
const textColumns = async () =>
  (
    await owner.query<{ schema: string; table: string; column: string }>(
      `select table_schema as schema, table_name as table, column_name as column from information_schema.columns
       where table_schema in ('public', 'pgboss')
         and data_type in ('text', 'bytea', 'jsonb', 'json', 'ARRAY', 'character varying')`,
    )
  ).rows

test('no secret is readable anywhere in the database or in the log of a node at the most verbose level', async () => {
  const spoken = `spoken-${Date.now()}-secret-value`
  const { secretId } = await create({ name: 'spoken', value: spoken })
  const { key } = await createKey()
  const account = payload<{ clientId: string; clientSecret: string }>(
    await api.mutate(
      admin.northwind,
      'serviceAccounts.create',
      { name: 'At rest', roles: ['viewer'] },
      { 'idempotency-key': 'at-rest' },
    ),
  )
  const send = (path: string, init: RequestInit) => fetch(`${node.baseUrl}${path}`, init)
  const headers = { authorization: `Bearer ${admin.northwind}`, 'content-type': 'application/json' }
  const input = encodeURIComponent(JSON.stringify({ json: { id: secretId, includeValue: true } }))
  // The node has to fail, to refuse and to use these secrets.
  const attempts: [string, RequestInit][] = [
    [`/v1/secrets.get?input=${input}`, { headers }],
    ['/v1/approvals.getPending', { headers: { 'x-svc-api-key': key } }],
    ['/v1/agents.list', { headers: { 'x-svc-api-key': key } }],
    ['/v1/approvals.getPending', { headers: { 'x-svc-api-key': `${key}x` } }],
    ['/v1/approvals.getPending', { headers: { ...headers, 'x-svc-api-key': key } }],
    ['/v1/secrets.create', { method: 'POST', headers, body: JSON.stringify({ name: 'spoken', value: spoken }) }],
    ['/v1/secrets.create', { method: 'POST', headers, body: JSON.stringify({ name: '', value: spoken, x: 1 }) }],
    ['/v1/secrets.create', { method: 'POST', headers, body: `{"value":"${spoken}"` }],
    ['/v1/secrets.revoke', { method: 'POST', headers, body: JSON.stringify({ id: key }) }],
  ]
  for (const [path, init] of attempts) await (await send(path, init)).text()
  const form = (clientSecret: string) =>
    new URLSearchParams({ grant_type: 'client_credentials', client_id: account.clientId, client_secret: clientSecret })
  const tokenAt = '/realms/northwind/protocol/openid-connect/token'
  expect((await send(tokenAt, { method: 'POST', body: form(account.clientSecret) })).status).toBe(200)
  expect((await send(tokenAt, { method: 'POST', body: form(`${account.clientSecret}x`) })).status).toBe(401)

  const secrets = [spoken, key, account.clientSecret]
  const found = async (needle: string): Promise<string[]> => {
    const places: string[] = []
    const columns = await textColumns()
    expect(columns.length).toBeGreaterThan(100)
    for (const { schema, table, column } of columns) {
      const cell = `"${schema}"."${table}"."${column}"`
      const { rowCount } = await owner.query(
        `select 1 from "${schema}"."${table}" where position($1::text in ${cell}::text) > 0
           or position(encode(convert_to($1, 'UTF8'), 'hex') in ${cell}::text) > 0
           or position(encode(convert_to($1, 'UTF8'), 'base64') in ${cell}::text) > 0 limit 1`,
        [needle],
      )
      if (rowCount !== 0) places.push(cell)
    }
    return places
  }
  for (const secret of secrets) expect(await found(secret)).toEqual([])
  // The search finds stored values, both as text and as bytes.
  expect(await found('spoken')).toContain('"public"."secrets"."name"')
  await owner.query('create table planted (bytes bytea)')
  await owner.query(`insert into planted values (convert_to('before ' || $1 || ' after', 'UTF8'))`, [spoken])
  expect(await found(spoken)).toEqual(['"public"."planted"."bytes"'])

  await node.close()
  const log = node.log()
  expect(log.length).toBeGreaterThan(0)
  for (const secret of secrets) expect(log.includes(secret)).toBe(false)
})
