import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '#lib/verify/report.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { authorize } from '#server/kernel/auth/authorize.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { recheckOpenDays, recheckRows } from '#server/kernel/bound/recheck.ts'
import { newId, newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute, subscribe } from '#server/kernel/operation.ts'
import { decodeProtobuf } from '#server/telemetry/decode-protobuf.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import { aroundNow, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'
import { otlpProtobuf } from '#server/testing/otlp.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { sized } from '#server/testing/properties/counts.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { getSpan } from '#server/traces/get-span.ts'
import { getTrace } from '#server/traces/get-trace.ts'
import { endSpan, masked, startSpan, startTrace } from '#server/traces/recording/record.ts'
import { eraseFrom } from '#server/traces/retention/erase.ts'
import { purgeTraces } from '#server/traces/retention/retention.ts'
import { stream } from '#server/traces/stream.ts'
import { verify } from '#server/traces/verify.ts'

// Spans of executions and of telemetry against the log: what archives show, and what is found after a change by SQL.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

type Scene = { tenant: TestTenant; pia: Caller; traceId: string; spanId: string; open: string; received: string }

/** An execution's trace with a span that has ended and one that is open, and two spans of telemetry. `adopted`: the rows are bound. */
async function scene({ adopted = true } = {}): Promise<Scene> {
  const tenant = await runtime.tenant()
  const pia = await tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })
  const exporter = await tenant.as('exporter', { roles: ['traces:write'] })
  const [traceId, open, spanId, received] = [newTraceId(), newSpanId(), newSpanId(), newTraceId()]
  if (adopted) await runtime.bindRows(tenant)
  await recordSpans(tenant, { traceId, open, spanId })
  const telemetry = ['chat', 'after'].map((name) => ({
    traceId: received,
    spanId: newSpanId(),
    name,
    startMs: Date.now() - 5,
    endMs: Date.now(),
  }))
  const request = await decodeProtobuf(otlpProtobuf(telemetry, [['service.name', 'searcher']]))
  await execute(exportSpans, exporter, request, { name: 'telemetry.export' })
  return { tenant, pia, traceId, spanId, open, received }
}

async function recordSpans(tenant: TestTenant, { traceId, open, spanId }: Pick<Scene, 'traceId' | 'open' | 'spanId'>) {
  const inTenant = runtime.database.inTenant
  const hide = () => ({ $masked: { class: 'email' } })
  const startedAt = new Date()
  await inTenant(tenant.id, async (tx) => {
    const root = { traceId, spanId: open, name: 'refund', kind: 'agent', startedAt } as const
    await startTrace(tx, tenant.id, { traceId, executionId: newId(), name: 'refund', startedAt })
    await startSpan(tx, tenant.id, { ...root, attributes: [{ key: 'agent', value: 'refund' }] })
    const attributes = [
      masked('input', { order: 'order no. 1', to: 'ana@mail.example' }, hide),
      { key: 'attempt', value: 1 },
    ]
    const child = { traceId, spanId, parentSpanId: open, name: 'lookup_order', kind: 'tool', startedAt } as const
    await startSpan(tx, tenant.id, { ...child, attributes })
  })
  await inTenant(tenant.id, (tx) =>
    endSpan(tx, tenant.id, {
      traceId,
      spanId,
      status: 'error',
      statusMessage: 'The order is unknown.',
      attributes: [],
      endedAt: new Date(),
    }),
  )
}

const justification = 'The supervisory authority asks for the conversations of case 4711.'
const raw = () => ({ ...aroundNow(), includeRawPayloads: true, justification })
const today = () => new Date().toISOString().slice(0, 10)

async function archiveOf({ tenant, pia }: Scene, input?: object) {
  const job = await runtime.make(tenant, pia, input)
  expect(job.error).toBeNull()
  const bytes = await fetchArchive(pia, job.exportId)
  const { checks } = await verifyArchive(new Blob([new Uint8Array(bytes)]))
  const { text } = await runtime.extract(job.exportId, bytes)
  const rows = async (file: string) => parseLines(await text(`data/${file}.ndjson`))
  const found = (verdict: string, name: string): Check | undefined =>
    checks.find((check) => check.verdict === verdict && check.name === name)
  expect(checks.filter(({ state }) => state === 'fails')).toEqual([])
  return { job, rows, found }
}

/** Runs a statement as an administrator who bypasses the triggers. */
async function bySql(statement: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const owner = await connectAsOwner(runtime)
  try {
    await owner.query('set session_replication_role = replica')
    const { rows, rowCount } = await owner.query<Record<string, unknown>>(statement, values)
    expect(rowCount, statement).toBeGreaterThan(0)
    return rows
  } finally {
    await owner.end()
  }
}

/** In npm test, a quarter of them: each makes an archive. */
const some = <T>(all: readonly T[]): T[] => all.filter((_, index) => index % sized(1, 4) === 0)

const other = '01900000000070008000000000000001'
const ofSpan = 'where trace_id = $1 and span_id = $2'
const columns = `tenant_id, day, trace_id, span_id, origin, name, kind, status, attributes, started_at, ended_at, start_change, end_change`

describe.each([
  ['without raw payloads', aroundNow],
  ['with raw payloads', raw],
])('an archive %s', (_name, input) => {
  test('has each span with what the log commits to, and its verifier recomputes them all', async () => {
    const made = await scene()
    const { rows, found } = await archiveOf(made, input())
    expect(found('log', 'Rows')).toMatchObject({ state: 'holds' })
    expect(found('completeness', 'Rows')).toMatchObject({ state: 'holds' })
    expect(found('log', 'Spans')).toMatchObject({
      state: 'holds',
      detail: 'All 2 spans of telemetry are as the log commits to them.',
    })
    expect(found('completeness', 'Spans')).toMatchObject({ state: 'holds' })
    expect(found('log', 'Traces')).toMatchObject({
      state: 'holds',
      detail: 'All 2 traces are as their spans in the archive say.',
    })
    const spans = await rows('execution-spans')
    expect(spans.map(({ state }) => [state.spanId, state.status]).toSorted()).toEqual(
      [
        [made.open, 'unset'],
        [made.spanId, 'error'],
      ].toSorted(),
    )
    const ended = spans.find(({ state }) => state.spanId === made.spanId)
    expect(ended.bound).toMatchObject({ type: 'span', form: 1, revision: 2 })
    expect(JSON.stringify(ended.state)).not.toMatch(/ana@|order no. 1|unknown|length/)
    const isRaw = input === raw
    expect(JSON.stringify(ended.shown).includes('The order is unknown.')).toBe(isRaw)
    expect((await rows(`traces/${today()}.spans`)).map(({ origin }) => origin)).toEqual(['telemetry', 'telemetry'])
  })

  test('still verifies after an erasure, which leaves the commitments', async () => {
    const made = await scene()
    const { tenant } = made
    const erased = await runtime.database.inTenant(tenant.id, (tx) =>
      eraseFrom(tx, tenant.id, 'ana@mail.example', { erasureId: null, after: '' }),
    )
    expect(erased).toMatchObject({ spans: 1, values: 1 })
    expect(await recheckRows(tenant.id)).toEqual([])
    const { job, found } = await archiveOf(made, input())
    expect(job.status).toBe('completed_with_omissions')
    expect(found('log', 'Rows')).toMatchObject({ state: 'holds' })
    expect(found('log', 'Spans')).toMatchObject({ state: 'holds' })
  })
})

test('an archive says of traces what their spans say, whatever their rows contain', async () => {
  const made = await scene()
  await bySql(
    `update traces set started_at = '2020-01-01', ended_at = '2020-01-01', execution_id = null where tenant_id = $1`,
    [made.tenant.id],
  )
  const { rows, found } = await archiveOf(made)
  expect(found('log', 'Traces')).toMatchObject({ state: 'holds' })
  const traces = await rows('traces')
  const open = traces.find(({ traceId }) => traceId === made.traceId)
  expect(open).toEqual({
    traceId: made.traceId,
    spans: 2,
    startedAt: expect.stringContaining(today()),
    endedAt: null,
  })
  expect(traces.find(({ traceId }) => traceId === made.received)).toMatchObject({
    spans: 2,
    endedAt: expect.any(String),
  })
})

test('until spans are adopted, an archive says that only the seal covers those of executions', async () => {
  const made = await scene({ adopted: false })
  const before = await archiveOf(made)
  expect(before.found('log', 'Spans')).toMatchObject({
    state: 'not checked',
    detail: expect.stringContaining('Only the seal covers 2 spans of executions'),
  })
  await runtime.bindRows(made.tenant)
  const after = await archiveOf(made)
  expect(after.found('log', 'Rows')).toMatchObject({ state: 'holds' })
  expect(after.found('log', 'Spans')).toMatchObject({ state: 'holds' })
  expect(await after.rows('execution-spans')).toHaveLength(2)
})

test('before the rows are adopted, spans that began in the period and arrived after it are compared with their record', async () => {
  const tenant = await runtime.tenant()
  const pia = await tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })
  const midnight = Date.parse(today())
  const yesterday = new Date(midnight - 86_400_000).toISOString().slice(0, 10)
  await bySql('insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, yesterday])
  await signTenant(tenant.id)
  const late = { traceId: newTraceId(), spanId: newSpanId(), startMs: midnight - 1000, endMs: midnight - 900 }
  const exporter = await tenant.as('exporter', { roles: ['traces:write'] })
  const request = await decodeProtobuf(otlpProtobuf([late]))
  await execute(exportSpans, exporter, request, { name: 'telemetry.export' })
  const period = {
    startDate: `${yesterday}T00:00:00Z`,
    endDate: new Date(midnight).toISOString(),
    includeProofs: true,
  }
  const made = await archiveOf(
    { tenant, pia, traceId: late.traceId, spanId: late.spanId, open: '', received: '' },
    period,
  )
  expect(made.found('log', 'Spans')).toMatchObject({ state: 'holds' })
  expect(made.found('log', 'Other records')).toMatchObject({ state: 'holds' })
})

test('a tenant whose rows were adopted before spans were bound gets its spans adopted later, once', async () => {
  const { tenant, traceId, spanId } = await scene({ adopted: false })
  await runtime.bindRows(tenant)
  await bySql(
    `update audit_records set record = record #- '{details,types}' where tenant_id = $1 and type = 'state.adoption_ended'`,
    [tenant.id],
  )
  // As a process of an older version writes one.
  await bySql(
    `insert into spans (${columns}) select ${columns.replace('span_id', `'0123456789abcdef'`)} from spans ${ofSpan}`,
    [traceId, spanId],
  )
  expect(await recheckRows(tenant.id)).toEqual([])
  await runtime.bindRows(tenant)
  await runtime.bindRows(tenant)
  expect((await runtime.actions(tenant, '"types"')).toSorted()).toEqual(['state.later_adoption_ended'])
  expect(await recheckRows(tenant.id)).toEqual([])
  await bySql(`update spans set name = 'other' where tenant_id = $1 and span_id = '0123456789abcdef'`, [tenant.id])
  expect(await recheckRows(tenant.id)).toEqual([expect.objectContaining({ type: 'span' })])
})

const changes: [what: string, statement: string, reason: RegExp][] = [
  ['another name', `update spans set name = 'other' ${ofSpan}`, /changed/],
  ['another status', `update spans set status = 'ok' ${ofSpan}`, /changed/],
  [
    'another time, by a microsecond',
    `update spans set ended_at = ended_at + interval '1 microsecond' ${ofSpan}`,
    /changed/,
  ],
  [
    'another attribute',
    `update spans set attributes = attributes || '[{"key": "x", "value": 1}]' ${ofSpan}`,
    /changed/,
  ],
  ['other facts', `update spans set facts = '{"model": "x"}' ${ofSpan}`, /changed/],
  ['an origin in telemetry', `update spans set origin = 'telemetry' ${ofSpan}`, /changed|deleted/],
  ['its deletion', `delete from spans ${ofSpan}`, /deleted/],
  ['a move to another trace', `update spans set trace_id = '${other}' ${ofSpan}`, /deleted|inserted/],
  [
    'an inserted span',
    `insert into spans (${columns}) select ${columns.replace('span_id', `'0123456789abcdef'`)} from spans ${ofSpan}`,
    /inserted/,
  ],
]

describe('a change by SQL to the span of an execution fails the export, which names it, and the re-read, after', () => {
  test.each(some(changes))('%s', async (_what, statement, reason) => {
    const made = await scene()
    await bySql(statement, [made.traceId, made.spanId])
    const job = await runtime.make(made.tenant, made.pia)
    expect(job).toMatchObject({ status: 'failed', archiveName: null, error: { code: 'integrity_failed' } })
    expect(job.error?.message).toMatch(/The stored span \d{4}-\d\d-\d\d\/[0-9a-f]{32}\/[0-9a-f]{16} is not the one/)
    expect(job.error?.message).toMatch(reason)
    expect(await runtime.actions(made.tenant, job.exportId)).toContain('alarm.raised')
    expect(await recheckRows(made.tenant.id)).toContainEqual(expect.objectContaining({ type: 'span' }))
  })
})

test('a span that was deleted together with its bound state is missed, and does not count as expired', async () => {
  const { tenant, pia, traceId, spanId } = await scene()
  await bySql(`delete from spans ${ofSpan}`, [traceId, spanId])
  await bySql(`delete from bound_states where type = 'span' and id like '%/' || $1 || '/' || $2`, [traceId, spanId])
  const job = await runtime.make(tenant, pia)
  expect(job).toMatchObject({ status: 'failed', archiveName: null, error: { code: 'integrity_failed' } })
  expect(job.error?.message).toContain('its stored state is missing')
  expect(await runtime.actions(tenant, job.exportId)).toContain('alarm.raised')
})

test('a span that retention deleted is listed as expired, and the archive agrees', async () => {
  const made = await scene()
  await bySql(`update tenants set settings = settings || '{"retentionDays": 30}' where id = $1`, [made.tenant.id])
  await purgeTraces(made.tenant.id, Date.now() + 40 * 86_400_000)
  const { job, found } = await archiveOf(made)
  const id = `${today()}/${made.traceId}/${made.spanId}`
  expect(job.omissions).toContainEqual({ resource: 'execution-spans', id, reason: 'retention_expired' })
  expect(found('completeness', 'Rows')?.state).toBe('holds')
})

test('a status message that was written by SQL to a span of telemetry is neither read nor exported', async () => {
  const { tenant, pia, received } = await scene()
  await bySql(`update spans set status_message = 'It was refused by the bank.' where trace_id = $1`, [received])
  const trace = await execute(getTrace, pia, { traceId: received, view: 'full' }, { name: 'traces.getTrace' })
  expect(trace.spans.map(({ statusMessage }) => statusMessage)).toEqual([null, null])
  const job = await runtime.make(tenant, pia)
  const { text } = await runtime.extract('message', await fetchArchive(pia, job.exportId))
  expect(await text(`data/traces/${new Date().toISOString().slice(0, 10)}.spans.ndjson`)).not.toContain('refused')
})

describe('a change by SQL to the span of an execution is found when it is read next, after', () => {
  test.each(changes.filter((_, index) => index % sized(1, 2) === 0))('%s', async (what, statement, reason) => {
    const { tenant, pia, traceId, spanId } = await scene()
    const readTrace = (view: 'full' | 'skeleton') =>
      execute(getTrace, pia, { traceId, view }, { name: 'traces.getTrace' })
    const readSpan = (id: string) => execute(getSpan, pia, { traceId, spanId: id }, { name: 'traces.getSpan' })
    const readStream = async () => {
      const ended = new AbortController()
      for await (const [, event] of await subscribe(authorize(pia, stream), { traceId }, { signal: ended.signal }))
        if (event.type === 'span.ended') break
      ended.abort()
    }
    await readTrace('full')
    await readSpan(spanId)
    await readStream()
    await bySql(statement, [traceId, spanId])
    const tampered = { code: 'integrity_failed', details: { type: 'span' }, message: expect.stringMatching(reason) }
    await expect(readTrace('full')).rejects.toMatchObject(tampered)
    await expect(readTrace('skeleton')).rejects.toMatchObject(tampered)
    await expect(readSpan(what === 'an inserted span' ? '0123456789abcdef' : spanId)).rejects.toMatchObject(tampered)
    if (!/deletion|move/.test(what)) await expect(readStream()).rejects.toMatchObject(tampered)
    expect(await runtime.actions(tenant, 'span')).toContain('state.integrity_failed')
  })

  test('none: spans of telemetry are shown as they are', async () => {
    const { pia, received } = await scene()
    const { spans } = await execute(getTrace, pia, { traceId: received }, { name: 'traces.getTrace' })
    expect(spans).toHaveLength(2)
    const input = { traceId: received, spanId: spans[0]?.spanId ?? '' }
    expect((await execute(getSpan, pia, input, { name: 'traces.getSpan' })).span.name).toBe('chat')
  })
})

test('a span that was moved to another tenant is missing in one and inserted in the other', async () => {
  const [one, two] = [await scene(), await scene()]
  await bySql(`update spans set tenant_id = $3 ${ofSpan}`, [one.traceId, one.spanId, two.tenant.id])
  for (const [{ tenant, pia }, reason] of [
    [one, 'deleted'],
    [two, 'inserted'],
  ] as const) {
    const job = await runtime.make(tenant, pia)
    expect(job.error).toMatchObject({ code: 'integrity_failed', message: expect.stringContaining(reason) })
    expect(await recheckRows(tenant.id)).toEqual([
      expect.objectContaining({ type: 'span', reason: expect.stringContaining(reason) }),
    ])
  }
})

test('a span that was replayed with its older state is found by the re-read, and before an archive is published', async () => {
  const tenant = await runtime.tenant()
  const pia = await tenant.as('pia', { roles: ['auditor'] })
  await runtime.bindRows(tenant)
  const ids = { traceId: newTraceId(), open: newSpanId(), spanId: newSpanId() }
  await recordSpans(tenant, ids)
  const kept = async (table: string, where: string) =>
    (await bySql(`select to_jsonb(t) as row from ${table} t where ${where}`, [ids.open]))[0]?.row
  const row = await kept('spans', 'span_id = $1')
  const state = await kept('bound_states', `type = 'span' and id like '%' || $1`)
  const end = { traceId: ids.traceId, spanId: ids.open, status: 'error' as const, attributes: [], endedAt: new Date() }
  await runtime.database.inTenant(tenant.id, (tx) => endSpan(tx, tenant.id, end))
  await bySql('delete from spans where span_id = $1', [ids.open])
  await bySql(`delete from bound_states where type = 'span' and id like '%' || $1`, [ids.open])
  await bySql('insert into spans select (jsonb_populate_record(null::spans, $1)).*', [row])
  await bySql('insert into bound_states select (jsonb_populate_record(null::bound_states, $1)).*', [state])
  expect(await recheckOpenDays(tenant.id)).toEqual([
    expect.objectContaining({ type: 'span', reason: expect.stringContaining('revision 2') }),
  ])
  const job = await runtime.make(tenant, pia)
  expect(job).toMatchObject({ status: 'failed', error: { code: 'integrity_failed' } })
  expect(job.error?.message).toMatch(/at revision 1; the log has 2/)
})

test('traces.verify finds a changed span by the record that commits to it', async () => {
  const { tenant, pia, traceId, spanId } = await scene()
  const [record] = await bySql(
    `select audit_id from bound_states where tenant_id = $1 and type = 'span' and id like '%' || $2`,
    [tenant.id, spanId],
  )
  const ask = () =>
    execute(verify, pia, { tenant: tenant.externalId, auditId: String(record?.audit_id) }, { name: 'traces.verify' })
  await signTenant(tenant.id)
  expect(await ask()).toMatchObject({ verified: true })
  await bySql(`update spans set name = 'other' ${ofSpan}`, [traceId, spanId])
  await expect(ask()).rejects.toMatchObject({ code: 'integrity_failed', details: { type: 'span' } })
})

test('traces.verify finds a changed span of telemetry, or changed leaves, by the record of their request', async () => {
  const { tenant, pia, received } = await scene()
  const [span] = await bySql(`select audit_id, span_id from spans where trace_id = $1 and name = 'chat'`, [received])
  await signTenant(tenant.id)
  const input = { tenant: tenant.externalId, auditId: String(span?.audit_id) }
  const ask = () => execute(verify, pia, input, { name: 'traces.verify' })
  expect(await ask()).toMatchObject({ verified: true })
  await bySql(`update spans set name = 'other' where trace_id = $1 and name = 'chat'`, [received])
  await expect(ask()).rejects.toMatchObject({
    code: 'integrity_failed',
    details: { id: `${received}/${span?.span_id}` },
  })
  expect(await runtime.actions(tenant, `${received}/${span?.span_id}`)).toContain('state.integrity_failed')
  await bySql(`update telemetry_batches set leaves = leaves || leaves where audit_id = $1`, [input.auditId])
  await expect(ask()).rejects.toMatchObject({ code: 'integrity_failed', details: { type: 'telemetry_batch' } })
})

describe('a change by SQL to a span of telemetry', () => {
  test.each<[what: string, statement: string, reason: RegExp]>(
    some([
      [
        'another name',
        `update spans set name = 'other' where trace_id = $1 and name = 'chat'`,
        /not what the log commits to/,
      ],
      [
        'another time',
        `update spans set ended_at = ended_at + interval '1 microsecond' where trace_id = $1 and name = 'chat'`,
        /not what the log/,
      ],
      [
        'a move to another trace',
        `update spans set trace_id = '${other}' where trace_id = $1 and name = 'chat'`,
        /not what the log/,
      ],
      [
        'another resource',
        `update batch_resources r set attributes = '[]' where exists (select from spans s where s.audit_id = r.audit_id and s.trace_id = $1)`,
        /not what the log/,
      ],
      [
        'other leaves',
        `update telemetry_batches b set leaves = sha256('x') || sha256('y') where exists (select from spans s where s.audit_id = b.audit_id and s.trace_id = $1)`,
        /do not give the root/,
      ],
      [
        'a copy',
        `insert into spans select (jsonb_populate_record(s, '{"span_id": "0123456789abcdef"}')).* from spans s where trace_id = $1 and name = 'chat'`,
        /there twice|not what the log/,
      ],
      [
        'a record of another request',
        `update spans set audit_id = gen_random_uuid() where trace_id = $1 and name = 'chat'`,
        /is not in the request/,
      ],
    ]),
  )('fails the export, which names the span: %s', async (_what, statement, reason) => {
    const made = await scene()
    await bySql(statement, [made.received])
    const job = await runtime.make(made.tenant, made.pia)
    expect(job).toMatchObject({ status: 'failed', archiveName: null, error: { code: 'integrity_failed' } })
    expect(job.error?.message).toMatch(reason)
    expect(await runtime.actions(made.tenant, job.exportId)).toContain('alarm.raised')
  })

  test('its deletion leaves the archive incomplete, which its verifier says', async () => {
    const made = await scene()
    await bySql(`delete from spans where trace_id = $1 and name = 'chat'`, [made.received])
    const { found } = await archiveOf(made)
    expect(found('completeness', 'Spans')).toMatchObject({
      state: 'not checked',
      detail: expect.stringContaining('1 of 2 spans of telemetry that arrived in the period is not here'),
    })
  })
})
