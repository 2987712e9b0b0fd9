import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp } from './housekeeping.ts'
import { asOwnerOf, makePartitions, partitionDays } from './kernel/db/partitions.ts'
import { newTraceId } from './kernel/ids.ts'
import { connectAsOwner } from './testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from './testing/tenant.ts'
import { startTrace } from './traces/recording/record.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let ownerUrl: string
let tenants: readonly [TestTenant, TestTenant]
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  url.pathname = new URL(running.database.url).pathname
  ownerUrl = url.href
  tenants = [await testTenant(running), await testTenant(running)]
  await owner.query(`
    create function refuse_delete() returns trigger language plpgsql as $$
      begin raise exception 'the disk of this row is broken'; end $$`)
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

/** An expired proof and a forgotten place of each tenant: the proofs are purged first. */
async function expire(): Promise<void> {
  for (const { id } of tenants) {
    await owner.query(
      `insert into dpop_proofs (tenant_id, digest, expires_at) values ($1, sha256('proof'), now() - interval '1 day')
       on conflict do nothing`,
      [id],
    )
    await owner.query(
      `insert into known_places (tenant_id, digest, seen_at) values ($1, sha256('place'), now() - interval '31 days')
       on conflict do nothing`,
      [id],
    )
  }
}
const left = async (table: string): Promise<string[]> =>
  (await owner.query<{ id: string }>(`select tenant_id as id from ${table}`)).rows.map(({ id }) => id)

test('a purge that fails for one tenant does not stop the others, for that tenant or another', async () => {
  await expire()
  const [broken] = tenants
  await owner.query(
    `create trigger broken before delete on dpop_proofs for each row when (old.tenant_id = '${broken.id}')
     execute function refuse_delete()`,
  )
  await cleanUp(ownerUrl)
  expect([await left('dpop_proofs'), await left('known_places')]).toEqual([[broken.id], []])

  await owner.query('drop trigger broken on dpop_proofs')
  await cleanUp(ownerUrl)
  expect(await left('dpop_proofs')).toEqual([])
})

test('expired rows are deleted even if the partitions can’t be maintained', async () => {
  await expire()
  await cleanUp('postgresql://none:none@127.0.0.1:1/none')
  expect([await left('dpop_proofs'), await left('known_places')]).toEqual([[], []])
})

test('nothing is deleted after the server has begun to stop', async () => {
  await expire()
  await cleanUp(ownerUrl, () => true)
  expect(await left('dpop_proofs')).toHaveLength(2)
})

const inDays = (days: number) => Date.now() + days * 86_400_000
const clockAhead = (days: number) => vi.useFakeTimers({ toFake: ['Date'], now: inDays(days) })

describe('a process whose clock is ahead', () => {
  const traces = async (tenantId: string) =>
    (await owner.query('select 1 from traces where tenant_id = $1', [tenantId])).rowCount

  const record = async (tenant: TestTenant) => {
    const traceId = newTraceId()
    await running.database.inTenant(tenant.id, (tx) =>
      startTrace(tx, tenant.id, { traceId, name: 'refund', startedAt: new Date() }),
    )
    return traceId
  }

  test('deletes nothing by retention, and does so again when its clock is right', async () => {
    const tenant = await testTenant(running)
    await owner.query(`update tenants set settings = '{"retentionDays":30}' where id = $1`, [tenant.id])
    const [young, old] = await Promise.all([record(tenant), record(tenant)])
    await owner.query(`update traces set day = current_date - 31 where trace_id = $1`, [old])
    clockAhead(400)
    await cleanUp(ownerUrl)
    expect(await traces(tenant.id)).toBe(2)
    vi.useRealTimers()
    await cleanUp(ownerUrl)
    const { rows } = await owner.query('select trace_id from traces where tenant_id = $1', [tenant.id])
    expect(rows).toEqual([{ trace_id: young }])
  })

  test('still deletes what expires by the database’s clock', async () => {
    await expire()
    clockAhead(400)
    await cleanUp(ownerUrl)
    expect([await left('dpop_proofs'), await left('known_places')]).toEqual([[], []])
  })

  test('creates partitions for the days that the database’s clock is going to reach', async () => {
    const last = new Date(inDays(15)).toISOString().slice(0, 10)
    clockAhead(400)
    const days = await asOwnerOf(ownerUrl, async (client) => {
      await makePartitions(client)
      return await partitionDays(client)
    })
    expect(days.filter((day) => day > last)).toEqual([])
  })
})
