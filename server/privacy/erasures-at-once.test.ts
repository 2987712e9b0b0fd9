import { escapeIdentifier } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import { Decoded, Rejections } from '#server/telemetry/otlp.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { purgeTraces } from '#server/traces/retention/retention.ts'
import { createErasure } from './create-erasure.ts'
import { erasures } from './jobs.ts'

// Erasures of one tenant, and its retention, run at the same time in several processes, over the same rows.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let owner: Awaited<ReturnType<typeof connectAsOwner>>
beforeAll(async () => {
  runtime = await testRuntime()
  // The queue knows its name; the test runs the jobs itself.
  await runtime.queue.work([{ ...erasures, concurrency: 0 }])
  owner = await connectAsOwner(runtime)
  // As with a large table, retention reads rows in the order in which they are stored.
  const name = escapeIdentifier(new URL(runtime.database.url).pathname.slice(1))
  for (const plan of ['indexscan', 'indexonlyscan', 'bitmapscan'])
    await owner.query(`alter database ${name} set enable_${plan} = off`)
  tenant = await testTenant(runtime)
})
afterAll(async () => {
  await owner.end()
  await runtime.close()
})

const people = ['ada', 'bea', 'cem', 'dan', 'eva', 'fay', 'gil', 'hal'].map((name) => `${name}@mail.example`)
const spansPerBatch = 40

/** Spans in descending order of their keys: the order in which they are stored is not the order of an erasure. */
async function send(traceIds: readonly string[]): Promise<void> {
  const sender = await tenant.as('sender', { roles: ['traces:write'], kind: 'service_account' })
  const spans = traceIds.flatMap((traceId) =>
    Array.from({ length: spansPerBatch }, (_, index) => ({
      resource: [{ key: 'service.owner', value: people.join(' ') }],
      scope: 'test',
      span: {
        traceId,
        spanId: newSpanId(),
        parentSpanId: null,
        name: 'chat',
        startMicros: 1_795_000_000_123_456 + index,
        endMicros: 1_795_000_000_123_466 + index,
        attributes: people.map((value, at) => ({ key: `input.${at}`, value })),
        events: [],
        status: 1,
        statusMessage: '',
      },
    })),
  )
  await execute(exportSpans, sender, new Decoded(spans, new Rejections()), { name: 'telemetry.export' })
}

const request = async (): Promise<string[]> => {
  const officer = await tenant.as('pia', { roles: ['privacy_officer'] })
  const ids: string[] = []
  for (const subject of people) {
    const made = await execute(createErasure, officer, { subject, reason: 'Request 17.' }, { name: 'x' })
    ids.push(made.erasureId)
  }
  return ids
}
const sendAll = async () => {
  const traceIds = Array.from({ length: 3 }, newTraceId).sort().reverse()
  for (const traceId of traceIds) await send([traceId])
  await send(traceIds)
}
const run = (ids: readonly string[]) => ids.map((id) => erasures.run({ tenantId: tenant.id, id }, 0))
const statuses = async (ids: readonly string[]) =>
  (await owner.query<{ status: string }>('select status from erasures where id = any($1)', [ids])).rows.map(
    ({ status }) => status,
  )
const deadlocks = async () =>
  (await owner.query('select deadlocks::int as count from pg_stat_database where datname = current_database()')).rows[0]
/** Spans and resources with a value that was not erased. */
const left = async () =>
  (
    await owner.query(
      `select 1 from (select attributes from spans union all select attributes from batch_resources) stored,
         jsonb_array_elements(attributes) attribute
       where not attribute ? 'erased' and (attribute ->> 'key' like 'input.%' or attribute ->> 'key' = 'service.owner')`,
    )
  ).rowCount

test('eight erasures complete without a deadlock, and nothing of their subjects is left', async () => {
  await sendAll()
  expect(await left()).toBeGreaterThan(3 * spansPerBatch)
  const ids = await request()
  await Promise.all(run(ids))
  expect(await statuses(ids)).toEqual(ids.map(() => 'completed'))
  expect(await left()).toBe(0)
  expect(await deadlocks()).toEqual({ count: 0 })
})

test('an erasure and the tenant’s retention that meet on the same rows complete without a deadlock', async () => {
  await sendAll()
  const [id = ''] = await request()
  await owner.query(`update tenants set settings = settings || '{"retentionDays": 30}' where id = $1`, [tenant.id])
  // Both wait for a span in the middle: the erasure has passed those with smaller keys, retention those stored earlier.
  await owner.query('begin')
  await owner.query(
    `select from spans where (trace_id, span_id) = (
       select trace_id, span_id from spans order by trace_id, span_id limit 1 offset 20) for update`,
  )
  const both = Promise.all([...run([id]), purgeTraces(tenant.id, Date.now() + 40 * 86_400_000)])
  await until(async () => {
    const { rows } = await owner.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count === 2 ? true : undefined
  }, 'both wait')
  await owner.query('commit')
  await both
  expect(await statuses([id])).toEqual(['completed'])
  expect((await owner.query('select 1 from spans')).rowCount).toBe(0)
  expect(await deadlocks()).toEqual({ count: 0 })
})
