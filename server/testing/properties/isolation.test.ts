import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runtime } from '#server/kernel/runtime.ts'
import { createMember } from '#server/tenants/create-tenant.ts'
import { findMemberByUsername } from '#server/tenants/store.ts'
import { addressOf, call, type ProofAnswer } from './call.ts'
import { countCases, sized } from './counts.ts'
import { tenantDigest } from './digest.ts'
import {
  catalog,
  cells,
  comparable,
  credentials,
  type Entry,
  type Matrix,
  mayCall,
  namesObject,
  neverExisted,
  objectIn,
  objectToUse,
  openMatrix,
  type Selector,
  through,
} from './matrix.ts'
import { type Cell, cellsOf, howToAddALine, lines } from './operations.ts'
import { type Credential, everyRole, type World } from './world.ts'

// Every operation × credential × tenant selector × relation of the object. Responses for an object of another tenant and for
// one that never existed are identical, no response contains the other tenant's canary, and the caller's object is reached.

let matrix: Matrix
let own: World
let foreign: World
beforeAll(async () => {
  matrix = await openMatrix()
  own = matrix.own
  foreign = matrix.foreign
}, 300_000)
afterAll(() => matrix.close())

/** The headers that select the caller's tenant. In npm test, machines only use the first, and people each of them in turn. */
function ownSelectors(credential: Credential): Record<string, Selector> {
  const all = everyOwnSelector()
  const names = Object.keys(all)
  if (credential === 'person') turn += 1
  const name = names[credential === 'person' ? turn % names.length : 0] ?? 'none'
  return sized(all, { [name]: all[name] ?? {} })
}
let turn = 0
const everyOwnSelector = (): Record<string, Selector> => ({
  none: {},
  'own external id': { 'x-svc-tenant-external-id': own.tenant.externalId },
  'own UUID': { 'x-svc-tenant-id': own.tenant.id },
})
/** The headers that must all be refused with the same response. */
const deniedSelectors = (): Record<string, Selector> => ({
  'foreign external id': { 'x-svc-tenant-external-id': foreign.tenant.externalId },
  'unknown external id': { 'x-svc-tenant-external-id': neverExisted(foreign.tenant.externalId) },
  'foreign UUID': { 'x-svc-tenant-id': foreign.tenant.id },
  'unknown UUID': { 'x-svc-tenant-id': neverExisted(foreign.tenant.id) },
  'own external id with foreign UUID': {
    'x-svc-tenant-external-id': own.tenant.externalId,
    'x-svc-tenant-id': foreign.tenant.id,
  },
  'foreign external id with own UUID': {
    'x-svc-tenant-external-id': foreign.tenant.externalId,
    'x-svc-tenant-id': own.tenant.id,
  },
  'foreign pair': { 'x-svc-tenant-external-id': foreign.tenant.externalId, 'x-svc-tenant-id': foreign.tenant.id },
})

/** In npm test, machines only use two of them. */
const deniedTo = (credential: Credential): [string, Selector][] => {
  const all = Object.entries(deniedSelectors())
  return sized(all, credential === 'person' ? all : all.slice(0, 2))
}

test('each operation of the catalog has a row in the matrix, and each row an operation', () => {
  const addresses = catalog.map(addressOf)
  const missing = addresses.filter((address) => cellsOf(address).length === 0)
  expect(missing, howToAddALine(missing)).toEqual([])
  expect(Object.keys(lines).filter((address) => !addresses.includes(address))).toEqual([])
})

test('an object of another tenant and one that never existed get identical responses', async (context) => {
  const before = await tenantDigest(matrix.server.owner, foreign.tenant.id)
  const cases = await through(cells(namesObject), async (entry, cell) => {
    const reference = objectIn(foreign, cell)
    const never = neverExisted(reference)
    let calls = 0
    for (const credential of credentials)
      for (const [selected, selector] of Object.entries(ownSelectors(credential))) {
        const where = `${cell.names} ${credential} ${selected}`
        const caller = own.credentials[credential]
        const real = await matrix.ask(entry, caller, await cell.input(reference, own), selector)
        const none = await matrix.ask(entry, caller, await cell.input(never, own), selector)
        expect(statusOfAbsent(credential, entry, cell), `${where}: ${real.text}`).toContain(real.status)
        expect(comparable(real, reference), where).toEqual(comparable(none, never))
        calls += 2
      }
    return calls
  })
  expect(await tenantDigest(matrix.server.owner, foreign.tenant.id)).toEqual(before)
  countCases(context, cases)
}, 300_000)

/** The statuses for an absent object: that of its line, or 403 for a caller without the permission. */
function statusOfAbsent(credential: Credential, entry: Entry, cell: Cell): number[] {
  if (!mayCall(credential, entry, cell)) return [403]
  return credential !== 'person' && cell.own.includes(403) ? [cell.absent, 403] : [cell.absent]
}

test('a tenant without an active membership is refused with the same body, before anything else is checked', async (context) => {
  const before = await tenantDigest(matrix.server.owner, foreign.tenant.id)
  const expected = comparable(await firstDenial())
  expect([expected.status, expected.text]).toEqual([403, '{"error":"Tenant access denied"}'])
  const cases = await through(
    sized(
      cells(() => true),
      catalog.flatMap((entry) =>
        cellsOf(addressOf(entry))
          .slice(0, 1)
          .map((cell): [Entry, Cell] => [entry, cell]),
      ),
    ),
    async (entry, cell) => {
      const theirs = objectIn(foreign, cell)
      const related = sized([...new Set([theirs, neverExisted(theirs), objectIn(own, cell)])], [theirs])
      let calls = 0
      for (const credential of credentials)
        for (const [selected, selector] of deniedTo(credential))
          for (const reference of related) {
            const answer = await matrix.ask(
              entry,
              own.credentials[credential],
              await cell.input(reference, own),
              selector,
            )
            expect(comparable(answer), `${cell.names} ${credential} ${selected}`).toEqual(expected)
            calls += 1
          }
      return calls
    },
  )
  expect(await tenantDigest(matrix.server.owner, foreign.tenant.id)).toEqual(before)
  countCases(context, cases)
}, 300_000)

/** Returns the denial that all others must equal: a person calls the first operation with an unknown tenant. */
function firstDenial(): Promise<ProofAnswer> {
  const [entry] = catalog
  if (entry === undefined) throw new Error('The catalog is empty.')
  return matrix.ask(
    entry,
    own.credentials.person,
    {},
    { 'x-svc-tenant-external-id': neverExisted(own.tenant.externalId) },
  )
}

test('the caller’s object is reached with each selector of the tenant (positive control)', async (context) => {
  const cases = await through(
    cells(({ names }) => names !== 'new name'),
    async (entry, cell) => {
      const statuses: number[] = []
      for (const credential of credentials.filter((one) => mayCall(one, entry, cell)))
        for (const [selected, selector] of Object.entries(ownSelectors(credential))) {
          const input = await cell.input(await objectToUse(entry, own, cell), own)
          const answer = await matrix.ask(entry, own.credentials[credential], input, selector)
          const where = `${cell.names} ${credential} ${selected}: ${answer.status} ${answer.text.slice(0, 500)}`
          expect(cell.own, where).toContain(answer.status)
          expect(['not_found', 'tenant_access_denied'], where).not.toContain(answer.reason)
          if (!cell.own.includes(403)) expect(answer.reason, where).not.toBe('forbidden')
          statuses.push(answer.status)
        }
      expect(statuses, 'the first of the statuses in the line must occur').toContain(cell.own[0])
      return statuses.length
    },
  )
  countCases(context, cases)
}, 300_000)

test('a name that another tenant uses is available', async (context) => {
  const cases = await through(
    cells(({ names }) => names === 'new name'),
    async (entry, cell) => {
      const callers = credentials.filter(
        (one) => mayCall(one, entry, cell) && (one === 'person' || !cell.own.includes(403)),
      )
      for (const credential of callers) {
        const taken = `taken-${randomBytes(6).toString('hex')}`
        const theirs = await matrix.ask(
          entry,
          foreign.credentials[credential],
          await cell.input(taken, foreign),
          {},
          own,
        )
        const same = await matrix.ask(entry, own.credentials[credential], await cell.input(taken, own))
        const other = await matrix.ask(entry, own.credentials[credential], await cell.input(`free-${taken}`, own))
        for (const answer of [theirs, same, other]) expect(answer.status, answer.text).toBe(cell.own[0])
      }
      return callers.length * 3
    },
  )
  countCases(context, cases)
})

test('a member of both tenants sees only the objects of the selected one, and none without an active membership', async (context) => {
  const both = { authorization: `Bearer ${await own.tenant.signedIn('both', everyRole)}` }
  const memberId = await joinForeign('both')
  const there = { 'x-svc-tenant-external-id': foreign.tenant.externalId }
  const reads = cells(
    (cell) => namesObject(cell) && cell.names !== 'tenantExternalId' && cell.names !== 'tenant',
  ).filter(([entry]) => entry.operation.kind !== 'mutation')
  let cases = await through(reads, async (entry, cell) => {
    const mine = objectIn(own, cell)
    const reached = await matrix.ask(entry, both, await cell.input(objectIn(foreign, cell), foreign), there, own)
    expect(cell.own, `${reached.status} ${reached.text}`).toContain(reached.status)
    const real = await matrix.ask(entry, both, await cell.input(mine, foreign), there, own)
    const none = await matrix.ask(entry, both, await cell.input(neverExisted(mine), foreign), there, own)
    expect(real.status, real.text).toBe(cell.absent)
    expect(comparable(real, mine)).toEqual(comparable(none, neverExisted(mine)))
    return 3
  })
  const denied = comparable(await firstDenial())
  for (const status of ['suspended', 'invited', 'removed']) {
    const change = 'update members set status = $1 where tenant_id = $2 and id = $3'
    await matrix.server.owner.query(change, [status, foreign.tenant.id, memberId])
    cases += await through(reads, async (entry, cell) => {
      const answer = await matrix.ask(entry, both, await cell.input(objectIn(foreign, cell), foreign), there)
      expect(comparable(answer), status).toEqual(denied)
      return 1
    })
  }
  countCases(context, cases)
}, 300_000)

/** Creates a membership in the other tenant for a person of the caller's tenant. */
async function joinForeign(username: string): Promise<string> {
  const { database } = runtime()
  const { issuer, subject } = await database.inTenant(own.tenant.id, (tx) =>
    findMemberByUsername(tx, own.tenant.id, username),
  )
  const guest = { issuer, subject, kind: 'person' as const, username: 'guest', displayName: 'Guest', roles: everyRole }
  return await database.inTenant(foreign.tenant.id, (tx) => createMember(tx, foreign.tenant, guest))
}

test('each tenant’s own responses contain its canary, so a search would find it in another tenant’s', async () => {
  for (const world of [own, foreign])
    for (const address of [
      'GET /v1/agents.get',
      'GET /v1/approvals.get',
      'GET /v1/executions.get',
      'GET /v1/policies',
      'GET /v1/evidence/factory/jobs/:exportId/download',
    ]) {
      const entry = catalog.find((one) => addressOf(one) === address)
      const [cell] = cellsOf(address)
      if (entry === undefined || cell === undefined) throw new Error(`Unknown operation: ${address}.`)
      const answer = await call(
        matrix.server.baseUrl,
        entry,
        await cell.input(objectIn(world, cell), world),
        world.credentials.person,
      )
      expect(answer.text, address).toContain(world.tenant.slug)
    }
})
