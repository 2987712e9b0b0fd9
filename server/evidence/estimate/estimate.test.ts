import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { estimate } from '#server/evidence/estimate-export.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { execute } from '#server/kernel/operation.ts'
import { aroundNow, auditorOf } from '#server/testing/exports.ts'
import { asOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { estimateExport } from './estimate.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  runtime = await testRuntime()
})
afterAll(() => runtime.close())

const today = () => {
  const startAt = new Date(new Date().toISOString().slice(0, 10))
  return { startAt, endAt: new Date(startAt.getTime() + 86_400_000), scope: null, includeRawPayloads: false }
}

/** Spans of today, as the database stores them. */
const seedSpans = (tenantId: string, count: number) =>
  asOwner(
    runtime,
    `insert into spans (tenant_id, day, trace_id, span_id, origin, name, kind, status, attributes, events, links, facts,
       started_at, ended_at, start_change)
     select $1, $2::date, lpad(to_hex(n / 100), 32, '0'), lpad(to_hex(n), 16, '0'), 'telemetry', 'work', 'tool', 'ok',
       '[]', '[]', '[]', '{}', $2::date + n * interval '1 millisecond', $2::date + n * interval '1 millisecond', n
     from generate_series(1, ${count}) n`,
    [tenantId, today().startAt.toISOString().slice(0, 10)],
  )

/**
 * What a session has read of the spans so far, by rows of tables and entries of indexes. PostgreSQL also counts what earlier
 * transactions of the session read and did not report yet, so only the difference of two calls in one transaction is of use.
 */
const spansRead = sql<{ rows: number }>`
  select coalesce(sum(pg_stat_get_xact_tuples_returned(part.oid) + coalesce((
    select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = part.oid), 0)), 0)::integer as rows
  from pg_class part where part.oid = 'spans'::regclass
    or part.oid in (select inhrelid from pg_inherits where inhparent = 'spans'::regclass)`

const readSoFar = async (tx: Transaction): Promise<number> => (await spansRead.execute(tx)).rows[0]?.rows ?? 0

test('what a tenant has is counted exactly', async () => {
  const tenant = await testTenant(runtime)
  await seedSpans(tenant.id, 250)
  const { startDate, endDate } = aroundNow()
  const found = await execute(
    estimate,
    await auditorOf(tenant),
    { startDate, endDate },
    { name: 'evidence.estimateExport' },
  )
  expect(found).toMatchObject({ executions: 0, approvals: 0, spans: 250, exact: true })
  expect(found.bytes).toBeGreaterThan(80_000)
})

test('very many rows are not counted: the database’s estimate is returned, and a few rows are read', async () => {
  const [large, other] = [await testTenant(runtime), await testTenant(runtime)]
  const count = 30_000
  await seedSpans(large.id, count)
  await asOwner(runtime, 'analyze spans')
  const of = (tenantId: string, mostCost: number) =>
    runtime.database.inTenant(tenantId, async (tx) => {
      const before = await readSoFar(tx)
      const found = await estimateExport(tx, tenantId, today(), mostCost)
      return { ...found, read: (await readSoFar(tx)) - before }
    })
  const counted = await of(large.id, 50_000)
  expect(counted).toMatchObject({ spans: count, exact: true })
  expect(counted.read).toBeGreaterThanOrEqual(count)

  const estimated = await of(large.id, 100)
  expect(estimated.exact).toBe(false)
  expect(estimated.spans).toBeGreaterThan(count / 2)
  expect(estimated.spans).toBeLessThan(count * 2)
  expect(estimated.bytes / counted.bytes).toBeCloseTo(1, 0)
  expect(estimated.read).toBeLessThan(1000)

  // One tenant's spans are not another's, also in an estimate.
  expect((await of(other.id, 100)).spans).toBeLessThan(count / 10)
})
