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

/** A node of its own: what it borrowed and its insurance are in its memory. */
function node({ limit = 200, seconds = 60 } = {}): Budget & { loans(): number } {
  let loans = 0
  const lender = createLender({ limit, seconds })
  const lend: Lender = (...loan) => {
    loans += 1
    return lender(...loan)
  }
  return { ...createBudget({ policy: 'tenant', limit, windowSeconds: seconds, lend }), loans: () => loans }
}

/** How many of `count` at once are let through; anything but a 429 fails. */
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
  test('lets exactly the limit through, at once or one after the other', async () => {
    expect(await letThrough(node({ limit: 200 }), 300)).toBe(200)
    tenantId = (await testTenant(runtime)).id
    const budget = node({ limit: 25 })
    for (let call = 0; call < 25; call++) await budget.take(tenantId, 'calls')
    await expect(budget.take(tenantId, 'calls')).rejects.toBeInstanceOf(RateLimited)
  })

  test('asks the database for blocks, not for calls', async () => {
    const budget = node({ limit: 600 })
    for (let call = 0; call < 300; call++) await budget.take(tenantId, 'calls')
    expect(budget.loans()).toBeLessThanOrEqual(300 / 30 + 1)
    expect(await letThrough(budget, 400)).toBe(300)
    expect(budget.loans()).toBeLessThan(60)
    // Nor does it ask again for what it knows is spent.
    const loans = budget.loans()
    expect(await letThrough(budget, 400)).toBe(0)
    expect(budget.loans()).toBe(loans)
  })

  test('says what is left and when it is full again', async () => {
    const budget = node({ limit: 200 })
    expect(budget.standing(tenantId, 'calls')).toMatchObject({ remaining: 200, resetSeconds: 60 })
    expect(await budget.take(tenantId, 'calls', 10)).toMatchObject({ limit: 200, remaining: 190, windowSeconds: 60 })
    const { resetSeconds } = budget.standing(tenantId, 'calls')
    expect(resetSeconds).toBeGreaterThan(55)
    expect(resetSeconds).toBeLessThanOrEqual(60)
    const refused = await budget.take(tenantId, 'calls', 1000).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'rate_limited', status: 429, standing: { remaining: 0 } })
  })

  test('keeps tenants and names apart', async () => {
    const budget = node({ limit: 20 })
    expect(await letThrough(budget, 30)).toBe(20)
    expect(await letThrough(budget, 30, (await testTenant(runtime)).id)).toBe(20)
    await expect(budget.take(tenantId, 'another name')).resolves.toBeDefined()
  })

  test('begins anew when the window is over', async () => {
    const budget = node({ limit: 20, seconds: 1 })
    expect(await letThrough(budget, 30)).toBe(20)
    await until(async () => ((await letThrough(budget, 1)) === 1 ? true : undefined), 'the next window began')
    expect(await letThrough(budget, 30)).toBe(19)
  })
})

describe('several nodes', () => {
  test.each([2, 5])('%s of them together let through the limit and not one more', async (count) => {
    const nodes = Array.from({ length: count }, () => node({ limit: 600 }))
    const passed = await Promise.all(nodes.map((budget) => letThrough(budget, 400)))
    const total = passed.reduce((sum, one) => sum + one, 0)
    expect(total).toBeLessThanOrEqual(600)
    expect(total).toBeGreaterThanOrEqual(540)
  })

  test('a node that starts again gets what is left, not a new budget', async () => {
    expect(await letThrough(node({ limit: 200 }), 150)).toBe(150)
    const left = await letThrough(node({ limit: 200 }), 200)
    expect(left).toBeLessThanOrEqual(50)
    expect(left).toBeGreaterThanOrEqual(35)
  })
})

describe('when the database does not lend', () => {
  /** As many as each process lends itself. */
  const insured = 100

  test('because it can’t be reached, half of the limit goes through, and all of it again once it is back', async () => {
    const unreachable = openDatabase('postgres://nobody@127.0.0.1:1/none', runtime.log)
    setRuntime({ ...runtime, database: unreachable })
    const budget = node({ limit: 200 })
    expect(await letThrough(budget, 40)).toBe(40)
    setRuntime(runtime)
    const afterwards = await letThrough(budget, 300)
    expect(afterwards).toBeGreaterThanOrEqual(200)
    expect(afterwards).toBeLessThanOrEqual(200 + insured - 40)
    await unreachable.close()
  })

  test('for as long as the window, no more than half goes through', async () => {
    const unreachable = openDatabase('postgres://nobody@127.0.0.1:1/none', runtime.log)
    setRuntime({ ...runtime, database: unreachable })
    expect(await letThrough(node({ limit: 200 }), 300)).toBe(insured)
    await unreachable.close()
  })

  test('because it hangs, callers are let through while it hangs', async () => {
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

test('housekeeping removes budgets whose window is long over, and no others', async () => {
  await node().take(tenantId, 'old')
  await node().take(tenantId, 'new')
  const owner = await connectAsOwner(runtime)
  await owner.query(`update rate_budgets set ends_at = now() - interval '2 minutes' where name = 'old'`)
  await purgeBudgets(tenantId)
  const { rows } = await owner.query('select name from rate_budgets where tenant_id = $1', [tenantId])
  expect(rows).toEqual([{ name: 'new' }])
  await owner.end()
})
