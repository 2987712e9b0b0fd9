import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { listAlarms } from '#server/audit/alarms/list.ts'
import { today } from '#server/audit/store.ts'
import { execute } from '#server/kernel/operation.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { startSealer } from './sealer.ts'
import { signTenant } from './sign-tenant.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  runtime = await testRuntime()
})
afterAll(() => runtime.close())
afterEach(() => {
  vi.restoreAllMocks()
})

test('nothing is signed while an older version, which signs too, is connected; a minute after its end everything is', async () => {
  const tenant = await testTenant(runtime)
  const date = await runtime.database.inDirectory(today)
  const owner = await connectAsOwner(runtime)
  const signed = async () =>
    (await owner.query('select 1 from audit_checkpoints where tenant_id = $1 and date = $2', [tenant.id, date]))
      .rowCount
  // Versions before this one don't name the connection on which they listen.
  const older = new Client({ connectionString: runtime.database.url })
  await older.connect()
  // An answer counts for five seconds.
  const now = performance.now.bind(performance)
  let later = 6_000
  vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
  await signTenant(tenant.id)
  expect(await signed()).toBe(0)
  await older.end()
  const connected = `select 1 from pg_stat_activity
    where datname = current_database() and usename <> current_user and application_name = ''`
  await until(async () => (await owner.query(connected)).rowCount === 0 || undefined, 'the end of the older connection')
  await signTenant(tenant.id)
  expect(await signed()).toBe(0)

  later += 61_000
  await signTenant(tenant.id)
  expect(await signed()).toBe(1)
  await owner.end()
})

test('a log that was not signed for half an hour raises an alarm, once', async () => {
  const tenant = await testTenant(runtime)
  const older = new Client({ connectionString: runtime.database.url })
  await older.connect()
  const now = performance.now.bind(performance)
  let later = 200_000
  vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const warned = vi.spyOn(runtime.log, 'warn')
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  const alarms = async () => (await execute(listAlarms, auditor, {}, { name: 'alarms.list' })).items
  const sealer = startSealer()
  try {
    await until(async () => warned.mock.calls.length > 0 || undefined, 'the warning of the first round')
    expect(await alarms()).toEqual([])
    later += 31 * 60_000
    for (const round of [1, 2]) {
      // Again and again: a round that is still running ignores the timer.
      const again = async () => {
        vi.advanceTimersByTime(15_000)
        return (await alarms())[0]
      }
      const found = await until(again, `the alarm in round ${round}`)
      expect(found).toMatchObject({ kind: 'signing', status: 'open', count: 1 })
    }
  } finally {
    vi.useRealTimers()
    await sealer.close()
    await older.end()
  }
})
