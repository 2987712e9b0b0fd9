import { afterAll, beforeAll, expect, test } from 'vitest'
import { listServedTenantIds } from '#server/kernel/keys/store.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { eachTenant } from './each-tenant.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  for (let n = 0; n < 3; n++) await testTenant(running)
})
afterAll(() => running.close())

const failed = 'the work was not done'
const goOn = { isStopped: () => false, failed }

test('a failure for one tenant does not stop the work for the others', async () => {
  const done: string[] = []
  await eachTenant(
    listServedTenantIds,
    async ({ id }) => {
      done.push(id)
      if (done.length === 2) throw new Error('broken')
    },
    goOn,
  )
  const tenants = await running.database.inDirectory(listServedTenantIds)
  expect(done).toEqual(tenants.map(({ id }) => id))
})

test('without a database, the round ends with the first failure', async () => {
  const done: string[] = []
  let away = false
  const list: typeof listServedTenantIds = (tx) => {
    if (away) throw new Error('the database is away')
    return listServedTenantIds(tx)
  }
  const round = eachTenant(
    list,
    async ({ id }) => {
      done.push(id)
      away = true
      throw new Error('broken')
    },
    goOn,
  )
  await expect(round).rejects.toThrow('the database is away')
  expect(done).toHaveLength(1)
})

test('a round that is stopped begins no further tenant', async () => {
  const done: string[] = []
  await eachTenant(listServedTenantIds, async ({ id }) => void done.push(id), {
    isStopped: () => done.length === 1,
    failed,
  })
  expect(done).toHaveLength(1)
})
