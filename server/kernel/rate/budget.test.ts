import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '#server/kernel/db/database.ts'
import { type Runtime, setRuntime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { type Budget, createBudget, RateLimited } from './budget.ts'
import { createLender, type Lender } from './lender.ts'
import { purgeBudgets } from './limits.ts'

let runtime: Runtime & { close(): Promise<void> }
let tenantId: string

beforeAll(async () => {
  runtime = await testRuntime()
})
beforeEach(async () => {
  tenantId = (await testTenant(runtime)).id
})
afterEach(() => setRuntime(runtime))
afterAll(() => runtime.close())

/** A separate node: its loans and its fallback budget are in its memory. */
function node({ limit = 200, seconds = 60 } = {}): Budget & { loans(): number } {
  let loans = 0
  const lender = createLender({ limit, seconds })
  const lend: Lender = (...loan) => {
    loans += 1
    return lender(...loan)
  }
  return { ...createBudget({ policy: 'tenant', limit, windowSeconds: seconds, lend }), loans: () => loans }
}

/** How many of `count` concurrent requests are admitted; any error other than a 429 fails the test. */
async function letThrough(budget: Budget, count: number, tenant = tenantId): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      budget.take(tenant, 'calls').then(
        () => 1,
        (error: unknown) => {
          if (error instanceof RateLimited) return 0
          throw error
        },
      ),
    ),
  )
  return answers.reduce<number>((sum, one) => sum + one, 0)
}

describe('one node', () => {
  test('admits exactly the limit, concurrently or in sequence', async () => {
    expect(await letThrough(node({ limit: 200 }), 300)).toBe(200)
    tenantId = (await testTenant(runtime)).id
    const budget = node({ limit: 25 })
    for (let call = 0; call < 25; call++) await budget.take(tenantId, 'calls')
    await expect(budget.take(tenantId, 'calls')).rejects.toBeInstanceOf(RateLimited)
  })

  test('borrows blocks from the database, not single calls', async () => {
    const budget = node({ limit: 600 })
    for (let call = 0; call < 300; call++) await budget.take(tenantId, 'calls')
    expect(budget.loans()).toBeLessThanOrEqual(300 / 30 + 1)
    expect(await letThrough(budget, 400)).toBe(300)
    expect(budget.loans()).toBeLessThan(60)
    // It also does not borrow again when it knows that the budget is used up.
    const loans = budget.loans()
    expect(await letThrough(budget, 400)).toBe(0)
    expect(budget.loans()).toBe(loans)
  })

  test('reports the remaining budget and when it is full again', async () => {
    const budget = node({ limit: 200 })
    expect(budget.standing(tenantId, 'calls')).toMatchObject({ remaining: 200, resetSeconds: 60 })
    expect(await budget.take(tenantId, 'calls', 10)).toMatchObject({ limit: 200, remaining: 190, windowSeconds: 60 })
    const { resetSeconds } = budget.standing(tenantId, 'calls')
    expect(resetSeconds).toBeGreaterThan(55)
    expect(resetSeconds).toBeLessThanOrEqual(60)
    const refused = await budget.take(tenantId, 'calls', 1000).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'rate_limited', status: 429, standing: { remaining: 0 } })
  })

  test('keeps tenants and names separate', async () => {
    const budget = node({ limit: 20 })
    expect(await letThrough(budget, 30)).toBe(20)
    expect(await letThrough(budget, 30, (await testTenant(runtime)).id)).toBe(20)
    await expect(budget.take(tenantId, 'another name')).resolves.toBeDefined()
  })

  test('starts again after the window', async () => {
    const budget = node({ limit: 20, seconds: 1 })
    expect(await letThrough(budget, 30)).toBe(20)
    await until(async () => ((await letThrough(budget, 1)) === 1 ? true : undefined), 'the next window started')
    expect(await letThrough(budget, 30)).toBe(19)
  })
})

describe('several nodes', () => {
  test.each([2, 5])('%s nodes together admit exactly the limit', async (count) => {
    const nodes = Array.from({ length: count }, () => node({ limit: 600 }))
    const passed = await Promise.all(nodes.map((budget) => letThrough(budget, 400)))
    const total = passed.reduce((sum, one) => sum + one, 0)
    expect(total).toBeLessThanOrEqual(600)
    expect(total).toBeGreaterThanOrEqual(540)
  })

  test('a restarted node gets the remaining budget, not a new one', async () => {
    expect(await letThrough(node({ limit: 200 }), 150)).toBe(150)
    const left = await letThrough(node({ limit: 200 }), 200)
    expect(left).toBeLessThanOrEqual(50)
    expect(left).toBeGreaterThanOrEqual(35)
  })
})

describe('if the database does not lend', () => {
  /** The number of points that each process lends itself. */
  const insured = 100

  test('half of the limit is admitted while it can’t be reached, and all of it afterwards', async () => {
    const unreachable = openDatabase('postgres://user@127.0.0.1:1/none', runtime.log)
    setRuntime({ ...runtime, database: unreachable })
    const budget = node({ limit: 200 })
    expect(await letThrough(budget, 40)).toBe(40)
    setRuntime(runtime)
    const afterwards = await letThrough(budget, 300)
    expect(afterwards).toBeGreaterThanOrEqual(200)
    expect(afterwards).toBeLessThanOrEqual(200 + insured - 40)
    await unreachable.close()
  })

  test('at most half is admitted within one window', async () => {
    const unreachable = openDatabase('postgres://user@127.0.0.1:1/none', runtime.log)
    setRuntime({ ...runtime, database: unreachable })
    expect(await letThrough(node({ limit: 200 }), 300)).toBe(insured)
    await unreachable.close()
  })

  test('a hanging database does not block callers', async () => {
    const first = node({ limit: 200 })
    await first.take(tenantId, 'calls')
    const owner: Client = await connectAsOwner(runtime)
    await owner.query('begin')
    await owner.query('select 1 from rate_budgets where tenant_id = $1 for update', [tenantId])
    const budget = node({ limit: 200 })
    expect(await letThrough(budget, 5)).toBe(5)
    await owner.query('rollback')
    await owner.end()
  })
})

test('housekeeping removes only budgets whose window ended long ago', async () => {
  await node().take(tenantId, 'old')
  await node().take(tenantId, 'new')
  const owner = await connectAsOwner(runtime)
  await owner.query(`update rate_budgets set ends_at = now() - interval '2 minutes' where name = 'old'`)
  await purgeBudgets(tenantId)
  const { rows } = await owner.query('select name from rate_budgets where tenant_id = $1', [tenantId])
  expect(rows).toEqual([{ name: 'new' }])
  await owner.end()
})
