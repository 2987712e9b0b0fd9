import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissionsOf } from '#lib/permissions.ts'
import type { CatalogEntry } from '#server/catalog/operations.ts'
import { reason, startApi, type TestApi } from '#server/testing/api.ts'
import { collectCatalog } from './catalog.ts'
import { routes } from './routes.ts'

// The statuses and headers of every operation and route, generated from the catalog and the table of routes, so that a new one
// is covered when it is added.

let api: TestApi
let admin: string
/** Callers with one role each: every permission is missing from one of them. */
let machines: { token: string; permissions: ReadonlySet<string> }[]
beforeAll(async () => {
  api = await startApi()
  admin = await api.person('tom')
  machines = [
    { token: await api.client('decisions-bot'), permissions: permissionsOf(['decisions:read']) },
    { token: await api.client('telemetry'), permissions: permissionsOf(['traces:write']) },
  ]
}, 180_000)
afterAll(() => api.close())

const catalog = collectCatalog()
const unknownId = '01a1f934-0000-7000-8000-000000000000'
/** In a path that names the tenant, the one of the machines: another one is refused before the permission is checked. */
const addressOf = (path: string) =>
  path.replace('/t/:externalId', '/t/org-northwind-mutual').replaceAll(/:\w+(\{[^}]*\})?/g, unknownId)
const urlOf = (path: string) => new URL(addressOf(path), api.baseUrl)

type Seen = { status: number; headers: Headers; text: string }

/** The body of a stream is not read: it would not end. */
async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Seen> {
  const typed = body === undefined ? headers : { 'content-type': 'application/json', ...headers }
  const response = await fetch(urlOf(path), { method, headers: typed, ...(body === undefined ? {} : { body }) })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (isStream) await response.body?.cancel()
  return { status: response.status, headers: response.headers, text: isStream ? '' : await response.text() }
}

const call = ({ method, path }: Pick<CatalogEntry, 'method' | 'path'>, headers: Record<string, string> = {}) =>
  send(method, path, headers, method === 'POST' ? '{}' : undefined)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const reasonOf = ({ status, headers, text }: Seen) => reason({ status, headers, text, body: JSON.parse(text) })

function expectHeaders({ headers, text }: Seen, what: string): void {
  expect(headers.get('x-content-type-options'), what).toBe('nosniff')
  expect(headers.get('ratelimit-policy'), what).toMatch(/^"tenant";q=\d+;w=60$/)
  expect(headers.get('ratelimit'), what).toMatch(/^"tenant";r=\d+;t=\d+$/)
  expect(headers.get('content-security-policy'), what).toContain("default-src 'none'")
  expect(text, what).not.toMatch(/\bat .*\.ts:\d+/)
}

function expectRefused(seen: Seen, status: number, code: string, what: string): void {
  expect([what, seen.status, seen.text]).toEqual([what, status, expect.stringContaining('"')])
  expect([what, reasonOf(seen)]).toEqual([what, code])
  expectHeaders(seen, what)
  expect(seen.headers.get('content-type'), what).toMatch(/^application\/json/)
  expect(seen.headers.get('cache-control'), what).toBe('no-store')
  expect(seen.headers.get('x-request-id'), what).toMatch(/^[0-9a-f-]{36}$/)
}

/** A few at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: 6 }, worker))
}

const nameOf = ({ method, path }: CatalogEntry) => `${method} ${path}`
/** By path: the methods that it supports. */
const methodsOf = new Map<string, Set<string>>()
for (const { transport, path, method, operation } of catalog) {
  const known = methodsOf.get(path) ?? new Set()
  known.add(method)
  if (method === 'GET') known.add('HEAD')
  if (transport === 'procedure' && operation.kind === 'query') known.add('POST')
  methodsOf.set(path, known)
}
/** Routes without an operation in the catalog: their callers do not have a token yet. server/scim/scim.test.ts walks those of SCIM. */
const open = routes
  .map(([path]) => path)
  .filter((path) => !path.includes(':procedure') && !path.startsWith('/scim/') && !methodsOf.has(path))
for (const path of open) methodsOf.set(path, new Set(['GET', 'HEAD']))

test('the walk covers the catalog and every route', () => {
  expect(catalog.length).toBeGreaterThan(100)
  expect(open).toContain('/v1/health/live')
  expect(open.length).toBeLessThan(10)
})

test('without credentials, every operation answers 401 with a challenge', async () => {
  await each(catalog, async (entry) => {
    const seen = await call(entry)
    expectRefused(seen, 401, 'unauthorized', nameOf(entry))
    expect(seen.headers.get('www-authenticate'), nameOf(entry)).toContain('Bearer realm="countersign"')
  })
})

test('without its permission, every operation answers 403, also one that streams', async () => {
  await each(
    catalog.filter(({ operation: { permission } }) => permission !== 'any'),
    async (entry) => {
      const without = machines.find(({ permissions }) => !permissions.has(entry.operation.permission))
      expectRefused(await call(entry, bearer(without?.token ?? '')), 403, 'forbidden', nameOf(entry))
    },
  )
})

test('for a tenant without membership, every operation answers exactly the body of the specification', async () => {
  await each(catalog, async (entry) => {
    const seen = await call(entry, { ...bearer(admin), 'x-svc-tenant-external-id': 'org-unknown' })
    expect([nameOf(entry), seen.status, seen.text]).toEqual([nameOf(entry), 403, '{"error":"Tenant access denied"}'])
    expectHeaders(seen, nameOf(entry))
  })
})

test('with another method, every path answers 405 and names its own', async () => {
  await each([...methodsOf], async ([path, supported]) => {
    const allow = ['GET', 'HEAD', 'POST'].filter((method) => supported.has(method)).join(', ')
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (supported.has(method)) continue
      const what = `${method} ${path}`
      const seen = await send(method, path, bearer(admin), method === 'POST' ? '{}' : undefined)
      if (method === 'HEAD') expect([what, seen.status, seen.text]).toEqual([what, 405, ''])
      else expectRefused(seen, 405, 'method_not_allowed', what)
      expect([what, seen.headers.get('allow')]).toEqual([what, allow])
    }
  })
})

/** Differ between two requests, whatever their methods; the client closes the connection after HEAD. */
const changing = new Set([
  'date',
  'x-request-id',
  'ratelimit',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'dpop-nonce',
])
const lasting = ({ headers }: Seen) => Object.fromEntries([...headers].filter(([name]) => !changing.has(name)))

test('HEAD is answered wherever GET is, with its status and headers and without a body', async () => {
  const readable = [...methodsOf].filter(([, supported]) => supported.has('GET')).map(([path]) => path)
  await each(readable, async (path) => {
    for (const headers of [{}, bearer(admin)]) {
      const [get, head] = [await send('GET', path, headers), await send('HEAD', path, headers)]
      expect([path, head.status, head.text]).toEqual([path, get.status, ''])
      expect([path, lasting(head)]).toEqual([path, lasting(get)])
    }
  })
})

test.each([...new Set([...methodsOf.keys()].map((path) => `${path}/x/x`)), '/v1', '/v1/', '/v1/no.such', '/v1/health'])(
  '%s is not found',
  async (path) => {
    const seen = await send('GET', path, bearer(admin))
    expectRefused(seen, 404, 'not_found', path)
  },
)

test.each(open)('the response to %s has the headers of the others', async (path) => {
  expectHeaders(await send('GET', path), path)
})

describe('every subscription over HTTP', () => {
  const subscriptions = catalog.filter(({ operation }) => operation.kind === 'subscription')
  const withInput = (path: string, input: unknown) =>
    send('GET', `${path}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`, bearer(admin))

  test.each(subscriptions.map((entry) => [entry.name, entry] as const))(
    '%s answers 400 for a bad input',
    async (_name, entry) => {
      expectRefused(await withInput(entry.path, { 'no such field': 1 }), 400, 'validation_failed', nameOf(entry))
      const malformed = await send('GET', `${entry.path}?input=%7B`, bearer(admin))
      expectRefused(malformed, 400, 'bad_request', nameOf(entry))
      expect(malformed.text).not.toContain('batch')
    },
  )

  test.each([
    ['/v1/traces.stream', { traceId: 'a'.repeat(32) }],
    ['/v1/traces.stream', { executionId: unknownId }],
    ['/v1/approvals.watch', { approvalId: unknownId }],
  ])('%s answers 404 for %j', async (path, input) => {
    expectRefused(await withInput(path, input), 404, 'not_found', path)
  })

  test('each with an id of an object is in the list above', () => {
    expect(subscriptions.map(({ name }) => name).sort()).toEqual([
      'approvals.watch',
      'changes.stream',
      'session.watch',
      'traces.stream',
    ])
  })

  test('changes.stream answers 403 for a topic that the caller may not follow', async () => {
    const input = encodeURIComponent(JSON.stringify({ json: { topics: ['executions'] } }))
    const [machine] = machines
    const seen = await send('GET', `/v1/changes.stream?input=${input}`, bearer(machine?.token ?? ''))
    expectRefused(seen, 403, 'forbidden', 'changes.stream')
  })
})

test('only a batch is told about batches', async () => {
  const single = await send('GET', '/v1/agents.get?input=%7B', bearer(admin))
  expect([single.status, single.text]).toEqual([400, expect.stringContaining('"The input is not valid JSON."')])
  const batch = await send(
    'GET',
    `/v1/${Array(11).fill('tenants.current').join(',')}?batch=1&input=%7B%7D`,
    bearer(admin),
  )
  expect([batch.status, batch.text]).toEqual([400, expect.stringContaining('more than 10 calls')])
})
