import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openDatabase } from '#server/kernel/db/database.ts'
import { runtime, setRuntime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { noteUse } from './last-use.ts'
import { setLastUse } from './last-use-store.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Awaited<ReturnType<typeof connectAsOwner>>
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
})
afterEach(() => vi.useRealTimers())
afterAll(async () => {
  await owner.end()
  await running.close()
})

const usedAt = async (memberId: string): Promise<number | undefined> => {
  const { rows } = await owner.query<{ used_at: Date }>('select used_at from machine_uses where member_id = $1', [
    memberId,
  ])
  return rows[0]?.used_at.getTime()
}
const moveBack = (memberId: string, seconds: number) =>
  owner.query(`update machine_uses set used_at = used_at - interval '1 second' * $2 where member_id = $1`, [
    memberId,
    seconds,
  ])

async function machine() {
  const tenant = await testTenant(running)
  const { principal } = await tenant.as('ci', { kind: 'service_account' })
  return { tenantId: tenant.id, memberId: principal.memberId }
}

test('one node writes a machine’s use at most once a minute', async () => {
  const { tenantId, memberId } = await machine()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  noteUse(tenantId, memberId)
  const first = await until(() => usedAt(memberId), 'the use was recorded')
  await moveBack(memberId, 3600)
  const writes = vi.spyOn(runtime().database, 'inTenant')
  noteUse(tenantId, memberId)
  vi.setSystemTime(Date.now() + 59_000)
  noteUse(tenantId, memberId)
  expect(writes).not.toHaveBeenCalled()
  vi.setSystemTime(Date.now() + 2000)
  noteUse(tenantId, memberId)
  expect(writes).toHaveBeenCalledTimes(1)
  writes.mockRestore()
  const again = async () => {
    const at = (await usedAt(memberId)) ?? 0
    return at >= first ? at : undefined
  }
  expect(await until(again, 'the use was recorded again')).toBeGreaterThanOrEqual(first)
})

test('all nodes together write a machine’s use at most once a minute', async () => {
  const { tenantId, memberId } = await machine()
  const write = () => runtime().database.inTenant(tenantId, (tx) => setLastUse(tx, tenantId, memberId))
  await write()
  await moveBack(memberId, 50)
  const before = await usedAt(memberId)
  await write()
  expect(await usedAt(memberId)).toBe(before)
  await moveBack(memberId, 20)
  await write()
  expect(await usedAt(memberId)).toBeGreaterThan(before ?? 0)
})

test('a use that can’t be recorded does not fail the request, and the next one is recorded', async () => {
  const { tenantId, memberId } = await machine()
  const whole = runtime()
  const unreachable = openDatabase('postgres://user@127.0.0.1:1/none', whole.log)
  const warned = vi.spyOn(whole.log, 'warn')
  setRuntime({ ...whole, database: unreachable })
  noteUse(tenantId, memberId)
  await until(async () => (warned.mock.calls.length > 0 ? true : undefined), 'the failure was logged')
  setRuntime(whole)
  warned.mockRestore()
  await unreachable.close()
  expect(await usedAt(memberId)).toBe(undefined)
  noteUse(tenantId, memberId)
  expect(await until(() => usedAt(memberId), 'the use was recorded')).toBeDefined()
})
