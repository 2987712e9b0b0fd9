import { on, once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { roleNames } from '#lib/permissions.ts'
import { collectCatalog } from '#server/catalog.ts'
import { addressOf, call, nonsenseFor } from '#server/testing/properties/call.ts'
import { type PropertyServer, startPropertyServer } from '#server/testing/properties/server.ts'
import { propertyTenant } from '#server/testing/properties/tenant.ts'
import { statementsOf } from '#server/testing/statements.ts'

// Each call is authenticated once and authorized once, by the kernel, on every transport. A second check elsewhere
// could contradict the first. The server runs in this process, so the test can count its checks per request.

const catalog = collectCatalog().filter(({ operation }) => operation.permission !== 'any')
/** Input of a subscription to a request that does not exist. */
const input = { json: { approvalId: '00000000-0000-4000-8000-000000000000' } }

let server: PropertyServer
let tenant: Awaited<ReturnType<typeof propertyTenant>>
/** Access tokens: of a person with every role, and of one with a role that permits few operations. */
let all: string
let few: string
beforeAll(async () => {
  server = await startPropertyServer([])
  tenant = await propertyTenant(server, 'once')
  all = await tenant.signedIn('ada', [...roleNames])
  few = await tenant.signedIn('ben', ['decisions:read'])
}, 180_000)
afterAll(() => server.close())

type Checks = { admitted: number; authorized: number }

/** How often a caller was admitted, and how often `permission` was looked up among the caller's, while `work` ran. */
async function checksOf(permission: string, work: () => Promise<unknown>): Promise<Checks> {
  const { has } = Set.prototype
  let authorized = 0
  Set.prototype.has = function count(this: Set<unknown>, value: unknown) {
    if (value === permission) authorized += 1
    return Reflect.apply(has, this, [value])
  }
  try {
    const statements = await statementsOf(work)
    // An open stream reads the membership again, by the tenant's id; a request here names none.
    const admissions = statements.filter(
      ({ text, values }) => /from admit_caller\(|select admit_known\(/.test(text) && values[1] === null,
    )
    return { admitted: admissions.length, authorized }
  } finally {
    Set.prototype.has = has
  }
}

const entryOf = (address: string) => {
  const entry = catalog.find((one) => addressOf(one) === address)
  if (entry === undefined) throw new Error(`${address} is not in the catalog.`)
  return entry
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('each call is admitted and authorized exactly once', () => {
  test.each(catalog.map((entry) => [addressOf(entry), entry] as const))('%s', async (_address, entry) => {
    for (const token of [all, few]) {
      const statuses: number[] = []
      const checks = await checksOf(entry.operation.permission, async () => {
        statuses.push((await call(server.baseUrl, entry, nonsenseFor(entry, tenant), bearer(token))).status)
      })
      expect(checks, `status ${statuses}`).toEqual({ admitted: 1, authorized: 1 })
      if (token === few) expect(statuses[0] === 403).toBe(entry.operation.permission !== 'approval:list')
    }
  })

  test.each([
    ['a query', 'GET /v1/agents.list', {}],
    ['a mutation', 'POST /v1/secrets.create', { name: 'crm-token', value: 'not a secret' }],
    ['a route', 'GET /v1/policies', {}],
    ['a mutation by a route', 'POST /v1/policies', { name: 'refunds' }],
  ])('%s that runs', async (_what, address, input) => {
    const entry = entryOf(address)
    const checks = await checksOf(entry.operation.permission, async () => {
      const { status, text } = await call(server.baseUrl, entry, input, bearer(all))
      expect(status, text).toBeLessThan(300)
    })
    expect(checks).toEqual({ admitted: 1, authorized: 1 })
  })

  test('each call of a batch, whose caller is admitted once', async () => {
    const { permission } = entryOf('GET /v1/agents.list').operation
    const path = '/v1/agents.list,agents.list,agents.list?batch=1&input=%7B%7D'
    const checks = await checksOf(permission, async () => {
      const response = await fetch(`${server.baseUrl}${path}`, { headers: bearer(all) })
      expect([response.status, await response.json()]).toMatchObject([
        200,
        [{ result: {} }, { result: {} }, { result: {} }],
      ])
    })
    expect(checks).toEqual({ admitted: 1, authorized: 3 })
  })

  test('a subscription over HTTP', async () => {
    const { permission } = entryOf('GET /v1/approvals.watch').operation
    const checks = await checksOf(permission, async () => {
      const ended = new AbortController()
      const response = await fetch(
        `${server.baseUrl}/v1/approvals.watch?input=${encodeURIComponent(JSON.stringify(input))}`,
        {
          headers: { ...bearer(all), accept: 'text/event-stream' },
          signal: ended.signal,
        },
      )
      // It is read before the stream starts, so that a request that does not exist has its own status.
      expect(response.status).toBe(404)
      ended.abort()
    })
    expect(checks).toEqual({ admitted: 1, authorized: 1 })
  })

  test('each subscription on a socket, whose caller is admitted once', async () => {
    const { permission } = entryOf('GET /v1/approvals.watch').operation
    const checks = await checksOf(permission, async () => {
      const socket = new WebSocket(`${server.baseUrl.replace('http', 'ws')}/v1`, { headers: bearer(all) })
      const messages = on(socket, 'message')
      await once(socket, 'open')
      const unanswered = new Set([1, 2])
      for (const id of unanswered)
        socket.send(JSON.stringify({ id, method: 'subscription', params: { path: 'approvals.watch', input } }))
      for await (const [data] of messages) {
        unanswered.delete(JSON.parse(String(data)).id)
        if (unanswered.size === 0) break
      }
      socket.terminate()
    })
    expect(checks).toEqual({ admitted: 1, authorized: 2 })
  })
})
