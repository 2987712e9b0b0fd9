import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanUp } from './housekeeping.ts'
import { connectAsOwner } from './testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from './testing/tenant.ts'

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
