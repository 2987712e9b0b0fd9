import { randomBytes, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runtime } from '#server/kernel/runtime.ts'
import { countCases, sized } from './counts.ts'
import { type PropertyServer, startPropertyServer } from './server.ts'
import { propertyTenant } from './tenant.ts'
import { type Api, apiOf, everyRole, manifest } from './world.ts'

// Twenty tenants concurrently on four connections, with callers that disconnect early: no response contains another tenant's
// canary.

const tenants = 20
const connections = 4
const callers = 24
const requests = sized(100_000, 500)
const abortedShare = 0.1

/** A tenant's objects, and the token of its caller. */
type Resident = { canary: string; token: string; api: Api; agentId: string; policyId: string; externalId: string }

let server: PropertyServer
const residents: Resident[] = []
beforeAll(async () => {
  server = await startPropertyServer([], { poolSize: connections })
  for (let made = 0; made < tenants; made++) {
    const canary = `cnry-${randomBytes(16).toString('hex')}`
    const tenant = await propertyTenant(server, canary)
    await tenant.person('olga', [])
    const token = await tenant.machine('soak', everyRole)
    const api = apiOf(server.baseUrl, token)
    const yaml = await manifest('soaked', canary)
    const { agentId } = await api.mutate<{ agentId: string }>('agents.create', { yaml })
    const policy = await api.send<{ id: string }>('POST', '/v1/policies', { name: 'soaked', description: canary })
    residents.push({ canary, token, api, agentId, policyId: policy.id, externalId: tenant.externalId })
  }
}, 300_000)
afterAll(() => server.close())

/** `holds`: the response contains data of the caller's tenant, so it must contain that tenant's canary. */
type Shot = { path: string; init?: RequestInit; status: number; holds?: boolean }

const query = (name: string, input?: object) =>
  `/v1/${name}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify({ json: input }))}`}`
const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Reads, writes, refusals and rolled-back transactions, on objects of the caller's tenant and of another tenant. */
const shots: readonly ((own: Resident, other: Resident) => Shot)[] = [
  () => ({ path: query('tenants.current'), status: 200, holds: true }),
  () => ({ path: query('session.me'), status: 200, holds: true }),
  () => ({ path: query('agents.list', {}), status: 200, holds: true }),
  (own) => ({ path: query('agents.get', { id: own.agentId }), status: 200, holds: true }),
  (_own, other) => ({ path: query('agents.get', { id: other.agentId }), status: 404 }),
  (own) => ({ path: query('policies.get', { id: own.policyId }), status: 200, holds: true }),
  (_own, other) => ({ path: `/v1/policies/${other.policyId}/versions`, status: 404 }),
  () => ({ path: '/v1/policies?limit=20', status: 200, holds: true }),
  () => ({ path: query('audit.list', { limit: 20 }), status: 200 }),
  () => ({ path: query('approvals.getPending', {}), status: 200 }),
  (_own, other) => ({
    path: query('agents.list', {}),
    init: { headers: { 'x-svc-tenant-external-id': other.externalId } },
    status: 403,
  }),
  () => ({ path: '/v1/policies', init: post({ name: 'soaked' }), status: 409 }),
  (own) => ({
    path: '/v1/policies',
    init: post({ name: `p-${randomBytes(8).toString('hex')}`, description: own.canary }),
    status: 201,
    holds: true,
  }),
  (_own, other) => ({
    path: query('releases.propose'),
    init: post({ json: { agentId: other.agentId, version: '1.4.0', environment: 'production' } }),
    status: 404,
  }),
]

const pick = <T>(from: readonly T[]): T => {
  const one = from[randomInt(from.length)]
  if (one === undefined) throw new Error('The list is empty.')
  return one
}

/** The maximum share of 503 responses. Four connections are few, and a busy machine pauses at times. */
const busyShare = 0.02

test(`${requests} requests of ${tenants} tenants on ${connections} connections`, async (context) => {
  const seen = { answered: 0, aborted: 0, busy: 0, canaries: 0 }
  const foreign: string[] = []
  let begun = 0
  const callOn = async () => {
    while (begun < requests && foreign.length === 0) {
      begun += 1
      await shoot()
    }
  }

  async function shoot(): Promise<void> {
    const own = pick(residents)
    const { path, init, status, holds } = pick(shots)(own, pick(residents.filter((one) => one !== own)))
    const leave = Math.random() < abortedShare ? new AbortController() : undefined
    const timer = leave === undefined ? undefined : setTimeout(() => leave.abort(), randomInt(12))
    try {
      const response = await fetch(new URL(path, server.baseUrl), {
        ...init,
        headers: { ...init?.headers, authorization: `Bearer ${own.token}` },
        ...(leave === undefined ? {} : { signal: leave.signal }),
      })
      const text = await response.text()
      const canaries = `${text}\n${[...response.headers].join('\n')}`.match(/cnry-[0-9a-f]{32}/g) ?? []
      if (canaries.some((canary) => canary !== own.canary)) foreign.push(`${own.canary} ${path}: ${text}`)
      // No connection was free in time. The contract has this response, and it must not contain other tenants' data either.
      const busy = response.status === 503 && response.headers.has('retry-after')
      if (busy) {
        seen.busy += 1
        return
      }
      if (response.status !== status || (holds === true && canaries.length === 0))
        foreign.push(`${own.canary} ${path} should be ${status}: ${response.status} ${text.slice(0, 500)}`)
      seen.answered += 1
      seen.canaries += canaries.length
    } catch (error) {
      if (leave?.signal.aborted !== true) throw error
      seen.aborted += 1
    } finally {
      clearTimeout(timer)
    }
  }

  await Promise.all(Array.from({ length: callers }, callOn))
  expect(foreign, `after ${JSON.stringify(seen)}`).toEqual([])
  expect(seen.answered + seen.aborted + seen.busy).toBe(requests)
  expect(seen.busy).toBeLessThan(requests * busyShare)
  // Positive control: callers did disconnect, and responses with data of the caller's tenant contained its canary.
  expect(seen.aborted).toBeGreaterThan(requests * abortedShare * 0.1)
  expect(seen.canaries).toBeGreaterThan(requests * 0.3)
  countCases(context, requests)
}, 7_200_000)

test('no connection of the pool remains bound to a tenant', async () => {
  const bound = () =>
    runtime().database.inDirectory(async (tx) => {
      const { rows } = await sql<{ tenant: string | null }>`
        select current_setting('app.tenant_id', true) as tenant from pg_sleep(0.05)`.execute(tx)
      return rows[0]?.tenant ?? ''
    })
  expect(await Promise.all(Array.from({ length: connections * 4 }, bound))).toEqual(Array(connections * 4).fill(''))
})
