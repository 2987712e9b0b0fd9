// Longer than other files: two nodes, which take seconds to start, serve every case.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import type { ConnectionToken } from '#lib/schemas/connection-tokens.ts'
import { collectCatalog } from '#server/catalog.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { routes } from '#server/routes.ts'
import { type Answer, payload, reason, type TestApi } from '#server/testing/api.ts'
import { otlpJson, type TestSpan } from '#server/testing/otlp.ts'
import type { SecondNode } from '#server/testing/processes/second-node.ts'
import { type TwoNodes, twoNodes } from '#server/testing/processes/two-nodes.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// Connection tokens as an exporter, an MCP client and an administrator use them: over HTTP, in two tenants, on two nodes.

type Made = { id: string; token: string; connectionToken: ConnectionToken }
type Slug = keyof TwoNodes['admin']

let api: TestApi
let node: SecondNode
let owner: Client
let admin: TwoNodes['admin']
let close: TwoNodes['close']
/** A service account with the roles traces:write and operator, in each tenant. */
const account = { northwind: '', globex: '' }
beforeAll(async () => {
  ;({ api, node, owner, admin, close } = await twoNodes())
  for (const slug of ['northwind', 'globex'] as const) account[slug] = (await newAccount({}, slug)).id
  for (const name of ['looker', 'other'])
    await releaseAgent(api, name, { runtime: { observe: {} }, tools: { payments: ['lookup_order'] } })
}, 240_000)
afterAll(() => close())

let accounts = 0
async function newAccount(input: Record<string, unknown> = {}, slug: Slug = 'northwind') {
  accounts += 1
  const made = { name: `Sender ${accounts}`, roles: ['traces:write', 'operator'], ...input }
  const { clientId } = payload<{ clientId: string }>(await api.mutate(admin[slug], 'serviceAccounts.create', made))
  const { rows } = await owner.query<{ id: string }>(
    'select m.id from members m join tenants t on t.id = m.tenant_id where t.slug = $1 and m.username = $2',
    [slug, clientId],
  )
  return { clientId, id: rows[0]?.id ?? '' }
}
const create = (input: Record<string, unknown> = {}, slug: Slug = 'northwind', headers = {}, token = admin[slug]) =>
  api.mutate(
    token,
    'connectionTokens.create',
    { name: 'exporter', serviceAccountId: account[slug], use: 'telemetry', ...input },
    headers,
  )
const make = async (input: Record<string, unknown> = {}, slug: Slug = 'northwind') =>
  payload<Made>(await create(input, slug))
const revoke = (id: string, slug: Slug = 'northwind') => api.mutate(admin[slug], 'connectionTokens.revoke', { id })
const listed = async (id: string, slug: Slug = 'northwind') => {
  const answer = await api.query(admin[slug], 'connectionTokens.list', { limit: 200 })
  return payload<{ items: ConnectionToken[] }>(answer).items.find((item) => item.id === id)
}

const sendTo = async (baseUrl: string, token: string, headers: Record<string, string> = {}, spans: TestSpan[] = []) =>
  fetch(new URL('/v1/traces', baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: otlpJson(spans, []),
  })
const send = (token: string, headers: Record<string, string> = {}) => sendTo(api.baseUrl, token, headers)
const onBoth = async (token: string) => [
  (await sendTo(api.baseUrl, token)).status,
  (await sendTo(node.baseUrl, token)).status,
]
const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()

describe('creation', () => {
  test('returns a token, its record and an expiry in 90 days, and stores only the SHA-256', async () => {
    const before = Date.now()
    const { id, token, connectionToken } = await make({ name: 'Collector', agents: ['planner'] })
    expect(token).toMatch(/^cst_[0-9A-Za-z]{49}$/)
    expect(connectionToken).toMatchObject({
      id,
      name: 'Collector',
      use: 'telemetry',
      agents: ['planner'],
      serviceAccount: { id: account.northwind },
      status: 'active',
      createdBy: { username: 'admin-automation' },
      revokedAt: null,
      lastUsedAt: null,
    })
    expect(Math.abs(Date.parse(connectionToken.expiresAt) - before - 90 * 86_400_000)).toBeLessThan(60_000)
    const { rows } = await owner.query('select t::text as row, token_sha256 from connection_tokens t where id = $1', [
      id,
    ])
    expect(rows[0].token_sha256).toEqual(createHash('sha256').update(token).digest())
    expect(rows[0].row).not.toContain(token)
    expect(await listed(id)).toEqual(connectionToken)
  })

  test('shows the token once: a replay returns the same record without it', async () => {
    const headers = { 'idempotency-key': 'one-token' }
    const first = await create({ name: 'once' }, 'northwind', headers)
    const { token, ...rest } = payload<Made>(first)
    const second = await create({ name: 'once' }, 'northwind', headers)
    expect(payload(second)).toEqual(rest)
    for (const answer of [second, await api.query(admin.northwind, 'connectionTokens.list', { limit: 200 })])
      expect(answer.text).not.toContain(token)
    expect((await send(token)).status).toBe(200)
  })

  test('is limited to 365 days', async () => {
    const { connectionToken } = await make({ expiresAt: days(365) })
    expect(Date.parse(connectionToken.expiresAt)).toBeLessThanOrEqual(Date.parse(days(365)))
    expect(reason(await create({ expiresAt: days(366) }))).toBe('validation_failed')
  })

  test.each<[string, Record<string, unknown>]>([
    ['without a name', { name: ' ' }],
    ['with another use', { use: 'everything' }],
    ['for a gateway without agents', { use: 'gateway' }],
    ['without any of the agents that it lists', { agents: [] }],
    ['for SCIM with agents', { use: 'scim', agents: ['looker'] }],
    ['for a gateway and an unregistered agent', { use: 'gateway', agents: ['looker', 'nowhere'] }],
    ['with an expiry in the past', { expiresAt: '2020-01-01T00:00:00.000Z' }],
    ['with an unknown field', { permissions: ['*'] }],
  ])('%s is 400', async (_name, input) => {
    const answer = await create(input)
    expect([answer.status, reason(answer)]).toEqual([400, 'validation_failed'])
  })

  test('for a person, an API key, another tenant’s account and an unknown one is the same 400', async () => {
    const key = await api.mutate(admin.northwind, 'secrets.createApiKey', { name: 'k', permissions: [] })
    const { rows } = await owner.query<{ id: string }>(
      `select m.id from members m where m.username = 'maria' or m.subject = $1`,
      [payload<{ apiKey: { id: string } }>(key).apiKey.id],
    )
    // Maria is a member of both tenants.
    expect(rows).toHaveLength(3)
    const bodies = new Set<string>()
    for (const id of [...rows.map((row) => row.id), account.globex, '01a1f934-0000-7000-8000-000000000001']) {
      const answer = await create({ serviceAccountId: id })
      expect(answer.status).toBe(400)
      bodies.add(answer.text.replace(/"requestId":"[^"]+"/, ''))
    }
    expect(bodies.size).toBe(1)
  })

  test('for an account that lacks the permission, or is disabled, is refused', async () => {
    const viewer = await newAccount({ roles: ['viewer'] })
    for (const input of [{ use: 'telemetry' }, { use: 'gateway', agents: ['looker'] }]) {
      const answer = await create({ serviceAccountId: viewer.id, ...input })
      expect([answer.status, reason(answer)]).toEqual([409, 'conflict'])
      expect(answer.text).toContain('lacks the permission')
    }
    await api.mutate(admin.northwind, 'serviceAccounts.disable', { clientId: viewer.clientId })
    expect((await create({ serviceAccountId: viewer.id, use: 'scim' })).text).toContain('is disabled')
  })

  test('requires the permission service-account:manage, as do the other operations', async () => {
    const { id } = await make()
    for (const token of [await api.person('maria'), await api.client('audit-export')]) {
      expect((await create({}, 'northwind', {}, token)).status).toBe(403)
      expect((await api.mutate(token, 'connectionTokens.revoke', { id })).status).toBe(403)
      expect((await api.query(token, 'connectionTokens.list')).status).toBe(403)
    }
  })

  test('makes the caller one identity with the account', async () => {
    const { id, clientId } = await newAccount()
    expect((await create({ serviceAccountId: id }, 'northwind', {}, await api.person('tom'))).status).toBe(200)
    const { items } = payload<{ items: { clientId: string; sponsors: object[] }[] }>(
      await api.query(admin.northwind, 'serviceAccounts.list', { limit: 200 }),
    )
    expect(items.find((item) => item.clientId === clientId)?.sponsors).toMatchObject([
      { person: { username: 'admin-automation' }, link: 'created' },
      { person: { username: 'tom' }, link: 'token' },
    ])
  })
})

/** The operations that a token of each use reaches. */
const reached = {
  telemetry: ['telemetry.exportLogs', 'telemetry.refuseMetrics', 'telemetry.export'],
  gateway: ['mcp.call', 'mcp.callForTenant'],
  scim: [] as string[],
}

describe('the reach of a token', () => {
  test.each(Object.keys(reached) as (keyof typeof reached)[])(
    'for %s is exactly its operations, of all in the catalog',
    async (use) => {
      const { token } = await make({ use, ...(use === 'gateway' ? { agents: ['looker'] } : {}) })
      const opened: string[] = []
      for (const { name, method, path } of collectCatalog()) {
        const answer = await api.request(token, filled(path), {
          method,
          ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: '{}' }),
        })
        if (answer.status !== 403) opened.push(name)
        else expect([name, reason(answer)]).toEqual([name, 'forbidden'])
      }
      expect(opened).toEqual(reached[use])
    },
  )

  test('includes no route outside the catalog: each answers as it answers a caller without credentials', async () => {
    const { token } = await make()
    const inCatalog = new Set(collectCatalog().map(({ method, path }) => `${method} ${path}`))
    // The addresses of SCIM name their credential before they look at it (server/scim/scim.test.ts).
    const others = routes
      .filter(([path]) => !path.startsWith('/scim/'))
      .flatMap(([path]) =>
        (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).flatMap((method) =>
          inCatalog.has(`${method} ${path}`) || path.includes(':procedure') ? [] : [{ method, path: filled(path) }],
        ),
      )
    expect(others.length).toBeGreaterThan(50)
    for (const { method, path } of others) {
      const [withToken, without] = [
        await api.request(token, path, { method }),
        await api.request(undefined, path, { method }),
      ]
      expect([method, path, withToken.status]).toEqual([method, path, without.status])
    }
  })

  test('includes nothing over a socket', async () => {
    const { token } = await make()
    const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await once(socket, 'open')
    for (const [id, path] of ['changes.stream', 'session.watch', 'traces.stream'].entries()) {
      const params = { path, input: { json: path === 'changes.stream' ? { topics: ['tenants'] } : {} } }
      socket.send(JSON.stringify({ id, method: 'subscription', params }))
      const [data] = await once(socket, 'message')
      expect(String(data)).toContain('"FORBIDDEN"')
    }
    socket.close()
  })

  test('is not that of an API key or an access token of DPoP', async () => {
    const { token } = await make()
    expect((await api.query(undefined, 'tenants.current', undefined, { 'x-svc-api-key': token })).status).toBe(401)
    expect((await send(token, { authorization: `DPoP ${token}` })).status).toBe(401)
    expect((await send(token, { 'x-svc-api-key': 'x' })).status).toBe(400)
  })

  test('shrinks with the roles of the account', async () => {
    const { id } = await newAccount()
    const { token } = await make({ serviceAccountId: id })
    expect((await send(token)).status).toBe(200)
    await owner.query(`update members set roles = '{viewer}' where id = $1`, [id])
    const answer = await send(token)
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('telemetry:write')])
  })
})

const filled = (path: string) =>
  path
    .replace('t/:externalId', 't/org-northwind-mutual')
    .replace(':agent', 'looker')
    .replace(':server', 'payments')
    .replaceAll(/:\w+(\{[^}]*\})?/g, 'x')

describe('a request with a token', () => {
  test('acts in the token’s tenant, on every node, and no header selects another one', async () => {
    const { token } = await make()
    expect(await onBoth(token)).toEqual([200, 200])
    const [northwind, globex] = ['northwind', 'globex'].map((slug) =>
      api.credentials.tenants.find((tenant) => tenant.slug === slug),
    )
    expect((await send(token, { 'x-svc-tenant-external-id': northwind?.externalId ?? '' })).status).toBe(200)
    const elsewhere: Record<string, string>[] = [
      { 'x-svc-tenant-external-id': globex?.externalId ?? '' },
      { 'x-svc-tenant-id': globex?.id ?? '' },
      { 'x-svc-tenant-id': 'not-a-uuid' },
    ]
    for (const headers of elsewhere) {
      const answer = await send(token, headers)
      expect([answer.status, await answer.text()]).toEqual([403, '{"error":"Tenant access denied"}'])
    }
  })

  test('from a web page is refused, whether or not the token exists', async () => {
    const { token } = await make()
    const bodies = new Set<string>()
    for (const origin of ['https://evil.example', api.baseUrl, 'null'])
      for (const text of [token, `${token.slice(0, -1)}0`, 'cst_x']) {
        const answer = await send(text, { origin })
        expect(answer.status).toBe(403)
        bodies.add((await answer.text()).replace(/"requestId":"[^"]+"/, ''))
      }
    expect(bodies.size).toBe(1)
  })

  test('is refused with the same message for every invalid token', async () => {
    const { token } = await make()
    const { token: gone, id } = await make()
    await revoke(id)
    const messages = new Set<unknown>()
    for (const text of ['cst_', 'cst_x', token.slice(0, -1), `${token}x`, token.toLowerCase(), gone]) {
      const answer = await send(text)
      expect([text, answer.status]).toEqual([text, 401])
      expect(answer.headers.get('www-authenticate')).toContain('Bearer realm="countersign", error="invalid_token"')
      messages.add(((await answer.json()) as { error: string }).error)
    }
    expect([...messages]).toEqual(['The connection token is unknown, expired or revoked.'])
  })

  test('is recorded as the account’s, with the token, and shows its last use', async () => {
    const { id, token } = await make()
    const spans = [{ traceId: newTraceId(), spanId: newSpanId() }]
    expect((await sendTo(api.baseUrl, token, {}, spans)).status).toBe(200)
    const seen = await until(async () => (await listed(id))?.lastUsedAt ?? undefined, 'the use was recorded')
    expect(Math.abs(Date.parse(seen) - Date.now())).toBeLessThan(60_000)
    const { rows } = await owner.query<{ actor: string }>(
      `select record->'actor'->>'id' as actor from audit_records
       where type = 'telemetry.received' and record->'details'->>'connectionTokenId' = $1`,
      [id],
    )
    expect(rows).toEqual([{ actor: account.northwind }])
  })
})

describe('the end of a token', () => {
  test('by revocation is permanent and immediate on every node, and of this token alone', async () => {
    const [one, two] = [await make(), await make()]
    expect(await onBoth(one.token)).toEqual([200, 200])
    const revoked = payload<{ connectionToken: ConnectionToken }>(await revoke(one.id)).connectionToken
    expect(revoked).toMatchObject({ status: 'revoked', revokedAt: expect.any(String), revision: 2 })
    expect([await onBoth(one.token), await onBoth(two.token)]).toEqual([
      [401, 401],
      [200, 200],
    ])
    expect(payload<{ connectionToken: ConnectionToken }>(await revoke(one.id)).connectionToken).toEqual(revoked)
  })

  test('comes with the end of its account, and enabling the account does not bring it back', async () => {
    const { id: serviceAccountId, clientId } = await newAccount()
    const { id, token } = await make({ serviceAccountId })
    expect(await onBoth(token)).toEqual([200, 200])
    await api.mutate(admin.northwind, 'serviceAccounts.disable', { clientId })
    expect(await onBoth(token)).toEqual([401, 401])
    expect((await listed(id))?.status).toBe('revoked')
    await api.mutate(admin.northwind, 'serviceAccounts.enable', { clientId })
    expect(await onBoth(token)).toEqual([401, 401])
  })

  test('also comes when only the membership is suspended', async () => {
    const { id: serviceAccountId } = await newAccount()
    const { id, token } = await make({ serviceAccountId })
    await owner.query(`update members set status = 'suspended' where id = $1`, [serviceAccountId])
    expect(await onBoth(token)).toEqual([401, 401])
    expect((await listed(id))?.status).toBe('account_disabled')
  })

  test('comes with its expiry, on every node', async () => {
    const { id, token } = await make({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await onBoth(token)).toEqual([200, 200])
    await owner.query('update connection_tokens set expires_at = clock_timestamp() where id = $1', [id])
    expect(await onBoth(token)).toEqual([401, 401])
    expect((await listed(id))?.status).toBe('expired')
  })

  test('leaves a record of each step', async () => {
    const { id } = await make()
    await revoke(id)
    const { rows } = await owner.query<{ type: string }>(
      `select type from audit_records where record->'resource'->>'id' = $1 order by date, seq`,
      [id],
    )
    expect(rows.map(({ type }) => type)).toEqual(['connection_token.created', 'connection_token.revoked'])
  })

  test('is the same not found for another tenant’s token and an unknown one', async () => {
    const theirs = await make({}, 'globex')
    const answers: Answer[] = []
    for (const id of [theirs.id, '01a1f934-0000-7000-8000-000000000001']) answers.push(await revoke(id))
    const [first, second] = answers.map(({ text }) => text.replace(/"requestId":"[^"]+"/, ''))
    expect([answers[0]?.status, first]).toEqual([404, second])
    expect([(await send(theirs.token)).status, await listed(theirs.id)]).toEqual([200, undefined])
  })
})

describe('a gateway token', () => {
  const connect = async (token: string, agent: string) => {
    const client = new McpClient({ name: 'editor', version: '1.0.0' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`/v1/mcp/${agent}/payments`, api.baseUrl), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    return client
  }

  test('lists and calls the tools of its agent', async () => {
    const { token } = await make({ use: 'gateway', agents: ['looker'] })
    const client = await connect(token, 'looker')
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['lookup_order'])
    const answer = await client.callTool({ name: 'lookup_order', arguments: { id: 'A-1003' } })
    expect(JSON.stringify(answer.structuredContent)).toContain('A-1003')
    await client.close()
  })

  test('is refused at the address of any other agent, whether or not it exists', async () => {
    const { token } = await make({ use: 'gateway', agents: ['looker'] })
    const { rows } = await owner.query<{ id: string }>(`select id from agents where name = 'other'`)
    const bodies = new Set<string>()
    for (const agent of ['other', rows[0]?.id, 'nowhere', '01a1f934-0000-7000-8000-000000000001']) {
      const answer = await api.request(token, `/v1/mcp/${agent}/payments`, { method: 'POST', body: '{}' })
      expect([agent, answer.status]).toEqual([agent, 403])
      bodies.add(answer.text.replace(/"requestId":"[^"]+"/, ''))
    }
    expect(bodies.size).toBe(1)
  })
})

describe('a telemetry token with agents', () => {
  const traces = async (token: string, spans: TestSpan[], service?: string) => {
    const response = await fetch(new URL('/v1/traces', api.baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: otlpJson(spans, service === undefined ? [] : [['service.name', service]]),
    })
    return (await response.json()) as { partialSuccess?: { rejectedSpans: string; errorMessage: string } }
  }
  const none = { rejectedSpans: '1', errorMessage: 'the connection token is not for the agent of this trace' }
  const span = (from: Partial<TestSpan> = {}): TestSpan => ({ traceId: newTraceId(), spanId: newSpanId(), ...from })
  const named = (agent: string): Partial<TestSpan> => ({ attributes: [['gen_ai.agent.name', agent]] })

  test('sends the traces of these agents, and no others', async () => {
    const { token } = await make({ agents: ['planner'] })
    const [root, foreign] = [span(named('planner')), span(named('writer'))]
    expect(await traces(token, [root])).toEqual({})
    expect(await traces(token, [foreign])).toEqual({ partialSuccess: none })
    expect(await traces(token, [span(named('planner')), foreign, span()])).toEqual({
      partialSuccess: { ...none, rejectedSpans: '2' },
    })
    const { rows } = await owner.query('select 1 from traces where trace_id = $1', [foreign.traceId])
    expect(rows).toEqual([])
  })

  test('adds to a trace of its agent what other services contribute, and nothing to another agent’s trace', async () => {
    const { token } = await make({ agents: ['planner'] })
    const { token: all } = await make()
    const [mine, theirs] = [span(named('planner')), span(named('writer'))]
    expect(await traces(all, [mine, theirs])).toEqual({})
    const child = { traceId: mine.traceId, spanId: newSpanId(), parentSpanId: mine.spanId }
    expect(await traces(token, [child], 'search-service')).toEqual({})
    const squatter = { traceId: theirs.traceId, spanId: newSpanId(), parentSpanId: theirs.spanId, ...named('planner') }
    expect(await traces(token, [squatter])).toEqual({ partialSuccess: none })
  })

  test('does not hand its trace to another agent by a root that names one', async () => {
    const { token } = await make({ agents: ['planner'] })
    const traceId = newTraceId()
    const rootId = newSpanId()
    const child = { traceId, spanId: newSpanId(), parentSpanId: rootId }
    expect(await traces(token, [child], 'planner')).toEqual({})
    expect(await traces(token, [{ traceId, spanId: rootId, ...named('writer') }])).toEqual({ partialSuccess: none })
    expect(await traces(token, [{ traceId, spanId: rootId, ...named('planner') }])).toEqual({})
  })
})
