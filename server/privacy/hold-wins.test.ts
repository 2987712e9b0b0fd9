import type { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import { Decoded, Rejections } from '#server/telemetry/otlp.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { purgeTraces } from '#server/traces/retention/retention.ts'
import { createErasure } from './create-erasure.ts'
import { createHold } from './create-hold.ts'
import { erasures } from './jobs.ts'
import { listAllErasures } from './list-erasures.ts'
import { resumeErasures } from './resume-erasures.ts'

// A legal hold that commits before a removal of content wins, also when the removal has read which content is on hold already.
// A lock that the test holds on one row stops the removal between its reading and its commit.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let gate: Client
let tenant: TestTenant
beforeAll(async () => {
  runtime = await testRuntime()
  // The queue knows its name; the test runs the jobs itself.
  await runtime.queue.work([{ ...erasures, concurrency: 0 }])
  owner = await connectAsOwner(runtime)
  gate = await connectAsOwner(runtime)
})
beforeEach(async () => {
  tenant = await testTenant(runtime)
})
afterAll(async () => {
  await gate.end()
  await owner.end()
  await runtime.close()
})

const subject = 'pavel.novak@mail.example'

/** Two spans in two traces, whose keys are in this order. */
async function send(): Promise<[string, string]> {
  const sender = await tenant.as('sender', { roles: ['traces:write'], kind: 'service_account' })
  const [first = '', second = ''] = [newTraceId(), newTraceId()].sort()
  const spans = [first, second].map((traceId) => ({
    resource: [],
    scope: 'test',
    span: {
      traceId,
      spanId: newSpanId(),
      parentSpanId: null,
      name: 'chat',
      startMicros: 1_795_000_000_123_456,
      endMicros: 1_795_000_000_123_466,
      attributes: [{ key: 'input.value', value: `Write to ${subject}.` }],
      events: [],
      status: 1,
      statusMessage: '',
    },
  }))
  await execute(exportSpans, sender, new Decoded(spans, new Rejections()), { name: 'telemetry.export' })
  return [first, second]
}
const request = async () => {
  const officer = await tenant.as('pia', { roles: ['privacy_officer'] })
  return (await execute(createErasure, officer, { subject, reason: 'Request 17.' }, { name: 'x' })).erasureId
}
const erase = (id: string) => erasures.run({ tenantId: tenant.id, id }, 0)
const hold = async (traceId: string) =>
  await execute(
    createHold,
    await tenant.as('vera', { roles: ['auditor'] }),
    { traceId, reason: 'Case 4.' },
    { name: 'holds.create' },
  )
const listed = async (id: string) => {
  const officer = await tenant.as('pia')
  const { items } = await execute(listAllErasures, officer, {}, { name: 'erasures.list' })
  return items.find((one) => one.id === id)
}
const isErased = async (traceId: string) =>
  (await owner.query('select sealed is null as erased from spans where trace_id = $1', [traceId])).rows[0]?.erased
const waitingFor = (count: number) =>
  until(async () => {
    const { rows } = await owner.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count === count ? true : undefined
  }, `${count} transactions wait`)
/** Blocks the insertion into the list of what was erased, which follows the reading and the changes of the spans. */
const closeGate = () => gate.query('begin; lock table erased_content in share mode')
const openGate = () => gate.query('commit')

test('a hold on a period that ends before it begins is refused with that reason', async () => {
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  const period = { from: '2026-12-05', to: '2026-12-01', reason: 'Case 5.' }
  await expect(execute(createHold, auditor, period, { name: 'holds.create' })).rejects.toMatchObject({
    message: expect.stringContaining('The last day must not be before the first one.'),
  })
})

describe('an erasure', () => {
  test('that has read and changed a trace leaves it as it was, if a hold commits before the erasure does', async () => {
    const [first, second] = await send()
    const id = await request()
    await closeGate()
    const erasing = erase(id)
    await waitingFor(1)
    // The hold does not wait for the erasure.
    await hold(first)
    expect((await owner.query('select 1 from legal_holds where tenant_id = $1', [tenant.id])).rowCount).toBe(1)
    await openGate()
    await erasing
    expect([await isErased(first), await isErased(second)]).toEqual([false, true])
    expect(await listed(id)).toMatchObject({ status: 'completed_with_omissions', heldSpans: 1, spans: 1 })
  })

  test('waits for a hold that is being placed, and then respects it', async () => {
    const [first, second] = await send()
    const id = await request()
    const member = await tenant.as('vera', { roles: ['auditor'] })
    await gate.query('begin')
    await gate.query(
      `insert into legal_holds (tenant_id, id, trace_id, reason, created_by)
       values ($1, gen_random_uuid(), $2, 'Case 5.', $3)`,
      [tenant.id, first, member.principal.memberId],
    )
    const erasing = erase(id)
    // It has read the spans while the hold was invisible, and stops before its commit.
    await waitingFor(1)
    await gate.query('commit')
    await erasing
    expect([await isErased(first), await isErased(second)]).toEqual([false, true])
    expect(await listed(id)).toMatchObject({ status: 'completed_with_omissions', heldSpans: 1, spans: 1 })
  })

  test('that commits first is not undone by the hold', async () => {
    const [first, second] = await send()
    const id = await request()
    await erase(id)
    await hold(first)
    expect([await isErased(first), await isErased(second)]).toEqual([true, true])
    expect(await listed(id)).toMatchObject({ status: 'completed', heldSpans: 0, spans: 2 })
  })
})

test('retention that has deleted a trace restores it, if a hold commits before it does', async () => {
  const [first, second] = await send()
  await owner.query(`update tenants set settings = settings || '{"retentionDays": 30}' where id = $1`, [tenant.id])
  await gate.query('begin')
  await gate.query('select from traces where trace_id = $1 for update', [second])
  const purging = purgeTraces(tenant.id, Date.now() + 40 * 86_400_000)
  await waitingFor(1)
  await hold(first)
  await gate.query('commit')
  await purging
  const { rows } = await owner.query('select trace_id from spans where tenant_id = $1', [tenant.id])
  expect(rows).toEqual([{ trace_id: first }])
})

describe('an erasure finishes', () => {
  test('with values that can’t be decrypted, which it counts and about which it raises an alarm', async () => {
    const [first, second] = await send()
    await owner.query(`update spans set sealed = array['\\x03'::bytea] where trace_id = $1`, [first])
    const id = await request()
    await erase(id)
    expect(await listed(id)).toMatchObject({ status: 'completed_with_omissions', unreadable: 1, spans: 1 })
    expect(await isErased(second)).toBe(true)
    const { rows } = await owner.query(
      `select record -> 'details' ->> 'subject' as subject from audit_records
       where tenant_id = $1 and type = 'alarm.raised'`,
      [tenant.id],
    )
    expect(rows).toEqual([{ subject: expect.stringMatching(`^spans/${first}/`) }])
  })

  test('when the queue has lost its job', async () => {
    await send()
    const id = await request()
    await owner.query(`delete from pgboss.job where data ->> 'id' = $1`, [id])
    const jobs = async () => (await owner.query(`select 1 from pgboss.job where data ->> 'id' = $1`, [id])).rowCount
    await resumeErasures(tenant.id)
    expect(await jobs()).toBe(1)
    // One that has a job gets no second one.
    await resumeErasures(tenant.id)
    expect(await jobs()).toBe(1)
  })
})
