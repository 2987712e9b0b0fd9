import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { databaseTraffic } from '#server/kernel/db/connection.ts'
import { bindTenant, type Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { appendAudit } from './append.ts'
import { auditLeafHash, recordDigest } from './record.ts'

// The database writes and hashes the records; these tests check that its bytes are those of record.ts, on which the log
// depends.

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
beforeAll(async () => {
  running = await testRuntime()
  tenant = await testTenant(running)
})
afterAll(() => running.close())

const actor = { type: 'system', id: 'countersign', name: 'Countersign' } as const
const inTenant = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => running.database.inTenant(tenant.id, work)
const records = () =>
  inTenant((tx) => tx.selectFrom('auditRecords').selectAll().where('tenantId', '=', tenant.id).orderBy('seq').execute())

const odd = 'quotes " and \\, line\nbreak, tab\t, \u0001 \u001f \u007f, ü, 🦉, \u2028, {curly,"braces"}, NULL'

test('the records of a transaction have the digests and leaf hashes of their bytes, and consecutive positions', async () => {
  const before = (await records()).length
  const ids = await inTenant(async (tx) => [
    await appendAudit(tx, tenant, {
      actor: { ...actor, name: odd },
      action: 'test.first',
      resource: { type: 'test', id: odd },
      reason: odd,
      details: { z: [1, 1e-7, true, null, odd], a: { [odd]: '' } },
      requestId: newId(),
    }),
    await appendAudit(tx, tenant, { actor, action: odd, resource: { type: 'test', id: '2' } }),
  ])
  await inTenant((tx) => appendAudit(tx, tenant, { actor, action: 'test.third', resource: { type: 'test', id: '3' } }))
  const rows = await records()
  expect(rows.map(({ auditId }) => auditId).slice(before, before + 2)).toEqual(ids)
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index))
  for (const { auditId, date, seq, type, nonce, digest, leafHash, record, createdAt } of rows) {
    expect(recordDigest(nonce, record as JsonObject)).toEqual(digest)
    expect(auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type })).toEqual(leafHash)
    expect((record as JsonObject).at).toBe(createdAt.toISOString())
    expect((record as JsonObject).auditId).toBe(auditId)
    expect((record as JsonObject).action).toBe(type)
  }
})

test('records of one tenant that wait at the same moment are committed together, and one that fails fails alone', async () => {
  const before = (await records()).length
  const append = (auditId: string, number: number) =>
    inTenant((tx) =>
      appendAudit(tx, tenant, {
        auditId,
        actor,
        action: 'test.together',
        resource: { type: 'test', id: String(number) },
      }),
    )
  // The first one reads what the process keeps, and so has statements of its own.
  const taken = await append(newId(), 0)
  const ids = Array.from({ length: 12 }, newId)
  const traffic = databaseTraffic()
  await Promise.all(ids.map(append))
  const after = databaseTraffic()
  const commits = after.commits - traffic.commits
  expect(commits).toBeLessThan(ids.length)
  // Those that are committed together are one statement between BEGIN and COMMIT.
  expect(after.statements - traffic.statements).toBe(3 * commits)
  const more = [newId(), taken, newId(), newId()]
  const outcomes = await Promise.allSettled(more.map(append))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { code: '23505' } })
  const rows = (await records()).slice(before)
  expect(rows.map(({ auditId }) => auditId).sort()).toEqual([taken, ...ids, ...more.toSpliced(1, 1)].sort())
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => before + index))
})

test("a record that can't be written undoes the operation that it would record", async () => {
  const before = (await records()).length
  const id = newId()
  const act = (details: JsonObject) =>
    inTenant(async (tx) => {
      await tx.insertInto('approverGroups').values({ tenantId: tenant.id, id, name: id, displayName: id }).execute()
      await appendAudit(tx, tenant, { actor, action: 'test.undone', resource: { type: 'test', id: '1' }, details })
    })
  // PostgreSQL does not support NUL.
  await expect(act({ text: '\u0000' })).rejects.toThrow(/unicode escape/i)
  const groups = await inTenant((tx) => tx.selectFrom('approverGroups').select('id').where('id', '=', id).execute())
  expect(groups).toEqual([])
  await act({ text: 'fine' })
  expect(await records()).toHaveLength(before + 1)
})

test('a record that comes after its transaction was sent is refused, also if the transaction was sent with others', async () => {
  const act = { actor, action: 'test.late', resource: { type: 'test', id: '1' } }
  await inTenant((tx) => appendAudit(tx, tenant, act))
  const late: Promise<unknown>[] = []
  const slowly = async (tx: Transaction) => {
    await appendAudit(tx, tenant, act)
    return tx
  }
  const before = (await records()).length
  const ended = await Promise.all(Array.from({ length: 4 }, () => inTenant(slowly)))
  for (const tx of ended) late.push(appendAudit(tx, tenant, act))
  expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
  expect(await records()).toHaveLength(before + 4)
})

test('concurrent appends each get a position of their own', async () => {
  const before = (await records()).length
  const many = 30
  await Promise.all(
    Array.from({ length: many }, (_, n) =>
      inTenant((tx) => appendAudit(tx, tenant, { actor, action: 'test.many', resource: { type: 'test', id: `${n}` } })),
    ),
  )
  expect((await records()).map(({ seq }) => seq)).toEqual(Array.from({ length: before + many }, (_, seq) => seq))
})

test('a transaction writes to the log of its tenant, even if it is bound to another tenant later', async () => {
  const other = await testTenant(running)
  const act = { actor, action: 'test.other', resource: { type: 'test', id: '1' } }
  const both = await inTenant(async (tx) => {
    const first = await appendAudit(tx, tenant, act)
    await bindTenant(tx, other.id)
    return [first, await appendAudit(tx, other, act)]
  })
  expect((await records()).at(-1)?.auditId).toBe(both[0])
  const theirs = await running.database.inTenant(other.id, (tx) =>
    tx.selectFrom('auditRecords').select('auditId').where('tenantId', '=', other.id).orderBy('seq').execute(),
  )
  expect(theirs.at(-1)?.auditId).toBe(both[1])

  await expect(inTenant((tx) => appendAudit(tx, other, act))).rejects.toThrow('row-level security')
  // Also if it waits with others, which are not held up by it.
  const together = await Promise.allSettled(
    [tenant, tenant, other, tenant].map((one) => inTenant((tx) => appendAudit(tx, one, act))),
  )
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  const mixed = inTenant(async (tx) => {
    await appendAudit(tx, tenant, act)
    await appendAudit(tx, other, act)
  })
  await expect(mixed).rejects.toThrow('one tenant')
})
