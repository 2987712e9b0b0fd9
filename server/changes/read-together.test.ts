import { afterAll, beforeAll, expect, test } from 'vitest'
import { headOfLog } from '#server/audit/follow-log.ts'
import type { Position } from '#server/audit/position.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { databaseTraffic } from '#server/kernel/db/connection.ts'
import { newId } from '#server/kernel/ids.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { nextChanges } from './changes-since.ts'

// Streams of one tenant share a read of its log, and of their memberships.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let people: Caller[]
beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  people = await Promise.all(['maria', 'jonas', 'vera'].map((name) => tenant.as(name, { roles: ['tenant-admin'] })))
})
afterAll(() => runtime.close())

const topics = new Set(['secrets', 'groups'] as const)
const reader = ({ tenant, principal }: Caller) => ({ tenant, principal, topics })
const head = (): Promise<Position> => runtime.database.inTenant(tenant.id, (tx) => headOfLog(tx, tenant.id))

/** Appends a record about a secret, and returns the secret's id. */
async function change(): Promise<string> {
  const id = newId()
  await runtime.database.inTenant(tenant.id, async (tx) => {
    await appendAudit(tx, tenant, { actor: systemActor, action: 'secret.revoked', resource: { type: 'secret', id } })
  })
  return id
}
const next = (caller: Caller, position: Position) => nextChanges(reader(caller), position, () => [])

test('twenty streams of three people cost what one costs, and each gets what came after its position', async () => {
  const start = await head()
  const first = await change()
  const middle = await head()
  const second = await change()
  const cost = async (read: () => Promise<unknown>) => {
    const { writes, statements } = databaseTraffic()
    await read()
    const now = databaseTraffic()
    return { writes: now.writes - writes, statements: now.statements - statements }
  }
  const [maria] = people as [Caller, ...Caller[]]
  const alone = await cost(() => next(maria, start))
  expect(alone.writes).toBe(1)
  const asked = Array.from({ length: 20 }, (_, index) => people[index % people.length] as Caller)
  let got: Awaited<ReturnType<typeof next>>[] = []
  expect(
    await cost(async () => {
      got = await Promise.all(asked.map((caller) => next(caller, start)))
    }),
  ).toEqual(alone)
  const ids = ({ changes }: { changes: readonly { id: string | null }[] }) => changes.map(({ id }) => id)
  expect(got.map(ids)).toEqual(asked.map(() => [first, second]))
  expect(new Set(got.map(({ position }) => JSON.stringify(position)))).toEqual(new Set([JSON.stringify(await head())]))
  // Another position is another statement of the same read.
  const later = await Promise.all([next(maria, start), next(maria, middle), next(maria, await head())])
  expect(later.map(ids)).toEqual([[first, second], [second], []])
})

test('a read has what was committed before it was asked for, also while another one is under way', async () => {
  const [maria, jonas] = people as [Caller, Caller]
  const start = await head()
  const reads: Promise<Awaited<ReturnType<typeof next>>>[] = []
  const ids: string[] = []
  for (let count = 1; count <= 5; count++) {
    ids.push(await change())
    reads.push(next(count % 2 === 0 ? maria : jonas, start))
  }
  for (const [index, { changes }] of (await Promise.all(reads)).entries())
    expect(changes.map(({ id }) => id)).toEqual(expect.arrayContaining(ids.slice(0, index + 1)))
})

test('only the stream of a person who lost the membership ends, at the next read', async () => {
  const [maria, jonas, vera] = people as [Caller, Caller, Caller]
  const start = await head()
  const id = await change()
  await asOwner(runtime, `update members set status = 'suspended' where id = $1`, [jonas.principal.memberId])
  const [hers, his, others] = await Promise.allSettled([next(maria, start), next(jonas, start), next(vera, start)])
  expect(his).toMatchObject({ status: 'rejected', reason: { code: 'tenant_access_denied' } })
  for (const one of [hers, others]) expect(one).toMatchObject({ value: { changes: [{ topic: 'secrets', id }] } })
  await asOwner(runtime, `update members set status = 'active' where id = $1`, [jonas.principal.memberId])
})

test('a stream that is too far behind gets none of the records, and the others theirs', async () => {
  const [maria, jonas] = people as [Caller, Caller]
  const far = await head()
  await runtime.database.inTenant(tenant.id, async (tx) => {
    for (let count = 0; count <= 500; count++)
      await appendAudit(tx, tenant, {
        actor: systemActor,
        action: 'secret.revoked',
        resource: { type: 'secret', id: newId() },
      })
  })
  const near = await head()
  const id = await change()
  const [behind, close] = await Promise.all([next(maria, far), next(jonas, near)])
  expect(behind.changes).toEqual([...topics].map((topic) => ({ topic, id: null })))
  expect(close.changes).toEqual([{ topic: 'secrets', id }])
  expect(behind.position).toEqual(close.position)
})

test('however often a tenant commits, its streams read a few times a second', async () => {
  const [maria] = people as [Caller, ...Caller[]]
  const start = await head()
  const began = performance.now()
  for (let count = 0; count < 3; count++) await next(maria, start)
  // Timers have whole milliseconds.
  expect(performance.now() - began).toBeGreaterThan(2 * 250 - 5)
})
