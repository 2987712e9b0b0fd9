import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { databaseClock } from './clock.ts'
import { statementsOf } from './closing.ts'
import type { Transaction } from './database.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
beforeAll(async () => {
  running = await testRuntime()
  tenant = await testTenant(running)
})
afterAll(() => running.close())
afterEach(() => {
  vi.restoreAllMocks()
})

const databaseTime = async (tx: Transaction): Promise<number> => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
  return rows[0]?.now.getTime() ?? 0
}

/** A process whose system clock is wrong by this much. */
const clockOff = (ms: number) => {
  const right = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => right() + ms)
}

test.each([0, 2 * 86_400_000, -2 * 86_400_000])(
  'a process that is %i ms ahead keeps the database’s clock, and is never ahead of it',
  async (ms) => {
    clockOff(ms)
    await running.database.inDirectory(async (tx) => {
      const before = await databaseTime(tx)
      const time = (await databaseClock(tx))().getTime()
      const after = await databaseTime(tx)
      // The clock may have been read some time ago, when the response was on the wire.
      expect(time).toBeGreaterThan(before - 1000)
      expect(time).toBeLessThanOrEqual(after)
    })
  },
)

test('the clock is read again soon if its last answer came late, and otherwise once a minute', async () => {
  await running.database.inDirectory(async (tx) => {
    const [right, wall] = [performance.now.bind(performance), Date.now.bind(Date)]
    let ahead = 0
    vi.spyOn(performance, 'now').mockImplementation(() => right() + ahead)
    vi.spyOn(Date, 'now').mockImplementation(() => wall() + ahead)
    const reads = async () => {
      const before = statementsOf(tx)
      await databaseClock(tx)
      return statementsOf(tx) - before
    }
    ahead += 120_000
    const late = reads()
    // The answer arrives, and the process is busy.
    for (const until = right() + 100; right() < until; );
    expect(await late).toBe(1)
    expect(await reads()).toBe(0)
    ahead += 2_000
    expect(await reads()).toBe(1)
  })
})

test('a record has the database’s time, even if the clock of the process is two days ahead', async () => {
  await running.database.inTenant(tenant.id, (tx) => databaseClock(tx))
  clockOff(2 * 86_400_000)
  const id = await running.database.inTenant(tenant.id, (tx) =>
    appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: 'y' } }),
  )
  const { rows } = await running.database.inTenant(tenant.id, (tx) =>
    sql<{ late: boolean; day: boolean }>`
      select abs(extract(epoch from clock_timestamp() - created_at)) > 60 as late,
        date = (created_at at time zone 'UTC')::date as day
      from audit_records where audit_id = ${id}`.execute(tx),
  )
  expect(rows).toEqual([{ late: false, day: true }])
})
