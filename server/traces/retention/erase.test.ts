import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { treeRoot } from '#server/audit/tree/merkle.ts'
import { keepPartitions } from '#server/housekeeping.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { createErasure } from '#server/privacy/create-erasure.ts'
import { createHold } from '#server/privacy/create-hold.ts'
import { erasures } from '#server/privacy/jobs.ts'
import { releaseHold } from '#server/privacy/release-hold.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import { Decoded, Rejections } from '#server/telemetry/otlp.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { getSpan } from '#server/traces/get-span.ts'
import { spanLeaf } from '#server/traces/proofs/span-leaf.ts'
import { purgeTraces } from './retention.ts'

// Which values are erased, which proofs remain, and which values a hold protects.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let owner: Awaited<ReturnType<typeof connectAsOwner>>
beforeAll(async () => {
  runtime = await testRuntime()
  await runtime.queue.work([erasures])
  tenant = await testTenant(runtime)
  owner = await connectAsOwner(runtime)
})
afterAll(async () => {
  await owner.end()
  await runtime.close()
})

const subject = 'Pavel.Novak@mail.example'
const startMicros = 1_795_000_000_123_456

async function send(traceId: string, texts: readonly string[]): Promise<string[]> {
  const sender = await tenant.as('sender', { roles: ['traces:write'], kind: 'service_account' })
  const ids = texts.map(() => newSpanId())
  const spans = texts.map((text, index) => ({
    resource: [],
    scope: 'test',
    span: {
      traceId,
      spanId: ids[index] ?? '',
      parentSpanId: null,
      name: 'chat',
      startMicros,
      endMicros: startMicros + 7,
      attributes: [
        { key: 'gen_ai.operation.name', value: 'chat' },
        { key: 'input.value', value: text },
        { key: 'output.value', value: 'Nothing personal.' },
        { key: 'ratio', value: 0.25 },
        {
          key: 'list',
          value: [
            { key: 'b', value: 1 },
            { key: 'a', value: [1, 'x'] },
          ],
        },
      ],
      events: [{ name: 'log', micros: startMicros, attributes: [{ key: 'user.id', value: text }] }],
      status: 1,
      statusMessage: '',
    },
  }))
  await execute(exportSpans, sender, new Decoded(spans, new Rejections()), { name: 'telemetry.export' })
  return ids
}

const justification = 'The test reads the values that remain.'
async function clear(traceId: string, spanId = ''): Promise<string> {
  const officer = await tenant.as('pia', { roles: ['privacy_officer'] })
  const input = { traceId, spanId, includeSensitiveData: true }
  return JSON.stringify((await execute(getSpan, { ...officer, justification }, input, { name: 'traces.getSpan' })).span)
}

async function erase(): Promise<{ spans: number; erased_values: number; held_spans: number; subject: null }> {
  const officer = await tenant.as('pia', { roles: ['privacy_officer'] })
  const { erasureId } = await execute(createErasure, officer, { subject, reason: 'Request 17.' }, { name: 'x' })
  await until(
    async () =>
      (await owner.query(`select 1 from erasures where id = $1 and status = 'completed'`, [erasureId])).rows[0],
    'the erasure is complete',
  )
  // A repetition has no effect.
  await erasures.run({ tenantId: tenant.id, id: erasureId }, 1)
  const { rows } = await owner.query('select spans, erased_values, held_spans, subject from erasures where id = $1', [
    erasureId,
  ])
  return rows[0]
}

/** Returns the root of a batch, computed from its stored spans, and the root in the audit record. */
async function roots(traceId: string) {
  const { rows } = await owner.query(
    `select *, (extract(epoch from started_at) * 1000000)::bigint as started, (extract(epoch from ended_at) * 1000000)::bigint as ended
     from spans where trace_id = $1 order by batch_index`,
    [traceId],
  )
  const leaves = rows.map((row) =>
    spanLeaf({
      traceId,
      spanId: row.span_id,
      parentSpanId: row.parent_span_id,
      name: row.name,
      kind: row.kind,
      status: row.status,
      startedMicros: Number(row.started),
      endedMicros: Number(row.ended),
      attributes: row.attributes,
      events: row.events,
      facts: row.facts,
    }),
  )
  const record = await owner.query('select record from audit_records where audit_id = $1', [rows[0]?.audit_id])
  const batch = await owner.query('select leaves from telemetry_batches where audit_id = $1', [rows[0]?.audit_id])
  return {
    computed: `sha256:${treeRoot(leaves).toString('hex')}`,
    kept: Buffer.concat(leaves).equals(batch.rows[0]?.leaves),
    recorded: record.rows[0]?.record.details.root,
  }
}

describe('an erasure', () => {
  test('removes salt and value wherever the subject occurs, in any case, and proofs remain valid', async () => {
    const traceId = newTraceId()
    const [one = '', two = ''] = await send(traceId, [`Write to ${subject.toLowerCase()}.`, 'Write to no one.'])
    expect(await clear(traceId, one)).toContain('pavel')
    const before = await roots(traceId)
    expect(before).toMatchObject({ computed: before.recorded, kept: true })

    expect(await erase()).toEqual({ spans: 1, erased_values: 2, held_spans: 0, subject: null })
    const left = await clear(traceId, one)
    expect(left).not.toContain('pavel')
    expect(left).toContain('Nothing personal.')
    expect(left).toContain('"erased":true')
    expect(await clear(traceId, two)).toContain('Write to no one.')
    expect(await roots(traceId)).toEqual(before)
    const { rows } = await owner.query('select fingerprint from spans where span_id = $1', [one])
    expect(rows[0]?.fingerprint).toBeNull()
  })

  test('does not touch content under a legal hold until the hold is released', async () => {
    const auditor = await tenant.as('vera', { roles: ['auditor'] })
    const traceId = newTraceId()
    const [span = ''] = await send(traceId, [subject])
    const hold = await execute(createHold, auditor, { traceId, reason: 'Case 4.' }, { name: 'x' })
    expect(await erase()).toMatchObject({ spans: 0, held_spans: 1 })
    expect(await clear(traceId, span)).toContain(subject)
    const released = { id: hold.holdId, expectedRevision: 1, reason: 'Closed.' }
    await execute(releaseHold, auditor, released, { name: 'x' })
    await expect(execute(releaseHold, auditor, released, { name: 'x' })).rejects.toMatchObject({ code: 'conflict' })
    expect(await erase()).toMatchObject({ spans: 1, held_spans: 0 })
    expect(await clear(traceId, span)).not.toContain(subject)
  })
})

describe('retention', () => {
  const days = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const moveTo = async (traceId: string, day: string) => {
    await owner.query('update traces set day = $2 where trace_id = $1', [traceId, day])
    await owner.query('update spans set day = $2 where trace_id = $1', [traceId, day])
  }
  const count = async (traceId: string) =>
    (await owner.query('select 1 from spans where trace_id = $1', [traceId])).rowCount

  test('deletes content older than the tenant’s retention period, except under a legal hold', async () => {
    const auditor = await tenant.as('vera', { roles: ['auditor'] })
    const [old, held, young] = [newTraceId(), newTraceId(), newTraceId()]
    for (const [traceId, ago] of [
      [old, 41],
      [held, 41],
      [young, 39],
    ] as const) {
      await send(traceId, ['x'])
      await moveTo(traceId, days(ago))
    }
    await execute(createHold, auditor, { traceId: held, reason: 'Case 5.' }, { name: 'x' })
    await purgeTraces(tenant.id, Date.now())
    expect(await Promise.all([old, held, young].map(count))).toEqual([1, 1, 1])
    await owner.query(`update tenants set settings = '{"retentionDays":40}' where id = $1`, [tenant.id])
    await purgeTraces(tenant.id, Date.now())
    expect(await Promise.all([old, held, young].map(count))).toEqual([0, 1, 1])
  })

  test('drops a partition when no tenant keeps content of its day, and creates those of the days ahead', async () => {
    const name = (day: string) => `spans_${day.replaceAll('-', '')}`
    const exists = async (day: string) =>
      (await owner.query(`select 1 from pg_tables where schemaname = 'partitions' and tablename = $1`, [name(day)]))
        .rowCount === 1
    for (const ago of [50, 45])
      await owner.query(
        `create table partitions.${name(days(ago))} partition of spans for values from ('${days(ago)}') to ('${days(ago - 1)}')`,
      )
    const traceId = newTraceId()
    await send(traceId, ['x'])
    await moveTo(traceId, days(45))
    const ownerUrl = new URL(process.env.TEST_DATABASE_URL ?? '')
    ownerUrl.pathname = new URL(runtime.database.url).pathname
    const keeper = { id: tenant.id }
    await keepPartitions(ownerUrl.href, [keeper], Date.now())
    // The empty partition is dropped. The other is kept by case 5, which covers another trace: whole days wait for all holds.
    expect([await exists(days(50)), await exists(days(45)), await exists(days(-13))]).toEqual([false, true, true])
    await owner.query('update legal_holds set released_at = now()')
    const other = await testTenant(runtime)
    await keepPartitions(ownerUrl.href, [keeper, other], Date.now())
    expect(await exists(days(45))).toBe(true)
    await keepPartitions(ownerUrl.href, [keeper], Date.now())
    expect(await exists(days(45))).toBe(false)
  })

  test('cannot be bypassed: the application’s role can’t reach a partition past row-level security', async () => {
    await expect(
      runtime.database.inTenant(tenant.id, (tx) =>
        tx
          .selectFrom('partitions.spans_default' as 'spans')
          .selectAll()
          .execute(),
      ),
    ).rejects.toThrow(/permission denied for schema partitions/)
  })
})
