import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '#server/kernel/db/database.ts'
import { type Runtime, setRuntime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { createShares, type Shares } from './shares.ts'

let runtime: Runtime & { close(): Promise<void> }
let tenantId: string
beforeAll(async () => {
  runtime = await testRuntime()
})
beforeEach(async () => {
  tenantId = (await testTenant(runtime)).id
})
afterAll(() => runtime.close())

/** A separate node: what it has counted is in its memory. */
const node = ({ limit = 10, seconds = 60 } = {}): Shares => createShares({ policy: 'pair', limit, seconds })

/** How many of `count` attempts are admitted. */
async function admitted(shares: Shares, count: number, name = 'pair/maria'): Promise<number> {
  const taken = await Promise.all(Array.from({ length: count }, () => shares.take(tenantId, name)))
  return taken.filter((one) => 'giveBack' in one).length
}

/** Attempts that the database knows of. */
async function borrowed(): Promise<number> {
  const owner = await connectAsOwner(runtime)
  const { rows } = await owner.query<{ total: string | null }>(
    'select sum(borrowed) as total from rate_budgets where tenant_id = $1',
    [tenantId],
  )
  await owner.end()
  return Number(rows[0]?.total ?? 0)
}

test('a share admits exactly its limit, concurrently or in sequence, and says when it starts again', async () => {
  const shares = node()
  expect(shares.spent(tenantId, 'pair/maria')).toBeUndefined()
  expect(await admitted(shares, 60)).toBe(10)
  expect(shares.spent(tenantId, 'pair/maria')).toMatchObject({ policy: 'pair', limit: 10, remaining: 0 })
  const refused = await shares.take(tenantId, 'pair/maria')
  expect('spent' in refused && refused.spent.resetSeconds).toBeGreaterThan(55)
  for (let attempt = 0; attempt < 10; attempt++) expect(await admitted(shares, 1, 'pair/jonas')).toBe(1)
  expect(await admitted(shares, 1, 'pair/jonas')).toBe(0)
})

test('names that appear once or twice cause no statement', async () => {
  const shares = node()
  for (let name = 0; name < 50; name++) expect(await admitted(shares, 2, `pair/invented-${name}`)).toBe(2)
  expect(await borrowed()).toBe(0)
})

test('several nodes admit the limit, and at most a fifth more for each further one', async () => {
  const nodes = [node(), node(), node()]
  const all = await Promise.all(nodes.map((shares) => admitted(shares, 30)))
  const total = all.reduce((sum, one) => sum + one, 0)
  expect(total).toBeGreaterThanOrEqual(10)
  expect(total).toBeLessThanOrEqual(14)
  // A restarted node has its free attempts again, and nothing else.
  expect(await admitted(node(), 30)).toBeLessThanOrEqual(2)
})

test('an attempt that is given back is not counted, before a loan and after it', async () => {
  const shares = node()
  for (let attempt = 0; attempt < 30; attempt++) {
    const taken = await shares.take(tenantId, 'pair/maria')
    if ('spent' in taken) throw new Error('refused')
    taken.giveBack()
  }
  expect(await borrowed()).toBe(0)
  expect(await admitted(shares, 9)).toBe(9)
  const last = await shares.take(tenantId, 'pair/maria')
  expect(shares.spent(tenantId, 'pair/maria')).toBeDefined()
  if ('giveBack' in last) last.giveBack()
  expect(shares.spent(tenantId, 'pair/maria')).toBeUndefined()
  expect(await admitted(shares, 5)).toBe(1)
})

test('a share starts again after its window', async () => {
  const shares = node({ seconds: 1 })
  expect(await admitted(shares, 30)).toBe(10)
  await until(async () => ((await admitted(shares, 1)) === 1 ? true : undefined), 'the next window started')
})

test('half of the limit is admitted while the database can’t be reached', async () => {
  const unreachable = openDatabase('postgres://user@127.0.0.1:1/none', runtime.log)
  setRuntime({ ...runtime, database: unreachable })
  try {
    expect(await admitted(node(), 30)).toBe(5)
  } finally {
    setRuntime(runtime)
    await unreachable.close()
  }
})
