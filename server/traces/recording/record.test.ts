import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import type { TraceEvent } from '#lib/schemas/traces.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Database } from '#server/kernel/db/database.ts'
import { newId, newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { getTrace } from '#server/traces/get-trace.ts'
import { list } from '#server/traces/list.ts'
import { stream } from '#server/traces/stream.ts'
import { endSpan, endTrace, masked, startSpan, startSpans, startTrace } from './record.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let other: TestTenant
let viewer: Caller
let stranger: Caller

beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  other = await testTenant(runtime)
  viewer = await tenant.as('vera', { roles: ['viewer'] })
  stranger = await other.as('vera', { roles: ['viewer'] })
})
afterAll(() => runtime.close())

const inTenant: Database['inTenant'] = (id, work) => runtime.database.inTenant(id, work)

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 12, 0, second))

async function begin(name = 'refund-assistant'): Promise<string> {
  const traceId = newTraceId()
  await inTenant(tenant.id, (tx) => startTrace(tx, tenant.id, { traceId, name, startedAt: at(0) }))
  return traceId
}

const open = (traceId: string, spanId: string, attributes: { key: string; value: JsonValue }[] = []) =>
  inTenant(tenant.id, (tx) =>
    startSpan(tx, tenant.id, { traceId, spanId, name: `span ${spanId}`, kind: 'tool', attributes, startedAt: at(1) }),
  )
const close = (traceId: string, spanId: string, attributes: { key: string; value: JsonValue }[] = []) =>
  inTenant(tenant.id, (tx) => endSpan(tx, tenant.id, { traceId, spanId, status: 'ok', attributes, endedAt: at(2) }))

const read = (caller: Caller, input: object) => execute(getTrace, caller, input, { name: 'traces.getTrace' })

/** Reads events until `enough`, then disconnects. */
async function follow(
  input: { traceId?: string; executionId?: string; lastEventId?: string },
  enough: (events: readonly [string, TraceEvent][]) => boolean,
  caller = viewer,
): Promise<[string, TraceEvent][]> {
  const leave = new AbortController()
  const events: [string, TraceEvent][] = []
  for await (const event of stream.run({ ...caller, input, signal: leave.signal })) {
    events.push(event)
    if (enough(events)) leave.abort()
  }
  return events
}
const told = (events: readonly [string, TraceEvent][]) =>
  events.map(([id, event]) => ('span' in event ? `${id} ${event.type} ${event.span.spanId}` : event.type))

describe('recording', () => {
  test('numbers changes in order, and repeating a call changes nothing', async () => {
    const traceId = await begin()
    const [a, b] = [newSpanId(), newSpanId()]
    await inTenant(tenant.id, (tx) => startTrace(tx, tenant.id, { traceId, name: 'again', startedAt: at(9) }))
    await open(traceId, a, [{ key: '__proto__', value: { constructor: 1 } }])
    await open(traceId, b)
    await open(traceId, a, [{ key: 'other', value: 1 }])
    await close(traceId, a, [{ key: 'result', value: 'issued' }])
    await close(traceId, a, [{ key: 'result', value: 'twice' }])
    await inTenant(tenant.id, (tx) => endTrace(tx, tenant.id, { traceId, endedAt: at(3) }))
    await inTenant(tenant.id, (tx) => endTrace(tx, tenant.id, { traceId, endedAt: at(4) }))

    const { trace, spans, lastEventId } = await read(viewer, { traceId })
    expect(trace).toMatchObject({ name: 'refund-assistant', endedAt: at(3).toISOString() })
    expect(lastEventId).toBe('4')
    expect(spans.map(({ spanId, status, endedAt }) => [spanId, status, endedAt])).toEqual([
      [a, 'ok', at(2).toISOString()],
      [b, 'unset', null],
    ])
    expect(JSON.stringify(spans[0]?.attributes)).toBe(
      '[{"key":"__proto__","value":{"constructor":1}},{"key":"result","value":"issued"}]',
    )
    expect(told(await follow({ traceId }, (events) => events.length === 3))).toEqual([
      `1 span.started ${a}`,
      `2 span.started ${b}`,
      `3 span.ended ${a}`,
    ])
  })

  test('of many concurrent spans numbers each once, without gaps', async () => {
    const traceId = await begin()
    const ids = Array.from({ length: 20 }, newSpanId)
    await Promise.all(ids.map((id) => open(traceId, id).then(() => close(traceId, id))))
    const events = await follow({ traceId }, (seen) => seen.length === 40)
    expect(events.map(([id]) => Number(id))).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })

  test('numbers the changes of spans that start together', async () => {
    const traceId = await begin()
    const [a, b] = [newSpanId(), newSpanId()]
    const span = { kind: 'tool' as const, attributes: [], startedAt: at(1) }
    const ended = { at: at(2), status: 'error' as const }
    const spans = [
      { ...span, spanId: a, name: 'first', ended },
      { ...span, spanId: b, name: 'second' },
    ]
    await inTenant(tenant.id, (tx) => startSpans(tx, tenant.id, traceId, spans))
    await inTenant(tenant.id, (tx) => startSpans(tx, tenant.id, traceId, spans))
    const events = await follow({ traceId }, (seen) => seen.length === 3)
    expect(told(events)).toEqual([`1 span.started ${a}`, `2 span.ended ${a}`, `3 span.started ${b}`])
    const { rows } = await inTenant(tenant.id, (tx) =>
      sql`select span_count, error_count, kinds, search from traces where trace_id = ${traceId}`.execute(tx),
    )
    expect(rows).toEqual([
      { spanCount: 2, errorCount: 1, kinds: ['tool'], search: expect.stringContaining('first\nsecond') },
    ])
  })

  test('requires a trace', async () => {
    await expect(open(newTraceId(), newSpanId())).rejects.toThrow('was never started')
  })
})

describe('traces.stream', () => {
  test('shows a span once it is committed, and continues after the last event that was received', async () => {
    const traceId = await begin()
    const [a, b] = [newSpanId(), newSpanId()]
    await open(traceId, a)
    const leave = new AbortController()
    const events = stream.run({ ...viewer, input: { traceId }, signal: leave.signal })[Symbol.asyncIterator]()
    expect((await events.next()).value?.[0]).toBe('1')
    const next = events.next()
    await open(traceId, b)
    const [id, event] = (await next).value ?? []
    expect([id, event]).toMatchObject(['2', { type: 'span.started', span: { spanId: b, endedAt: null } }])
    const last = events.next()
    leave.abort()
    expect((await last).done).toBe(true)

    await close(traceId, b)
    const resumed = await follow({ traceId, lastEventId: '2' }, (seen) => seen.length === 1)
    expect(told(resumed)).toEqual([`3 span.ended ${b}`])
  })

  test('waits for the trace of an execution to begin', async () => {
    const executionId = newId()
    const [traceId, a] = [newTraceId(), newSpanId()]
    await insertExecution(executionId, traceId)
    const events = follow({ executionId }, (seen) => seen.length === 1)
    await inTenant(tenant.id, (tx) =>
      startTrace(tx, tenant.id, { traceId, executionId, name: 'refund-assistant', startedAt: at(0) }),
    )
    await open(traceId, a)
    expect(told(await events)).toEqual([`1 span.started ${a}`])
  })

  /** Everything until the stream ends by itself. */
  const all = async (input: { traceId?: string; executionId?: string; lastEventId?: string }) =>
    told(await follow(input, () => false))

  test('of an execution ends when the trace does, after everything that was recorded', async () => {
    const executionId = newId()
    const [traceId, a] = [newTraceId(), newSpanId()]
    await insertExecution(executionId, traceId)
    await inTenant(tenant.id, (tx) =>
      startTrace(tx, tenant.id, { traceId, executionId, name: 'refund-assistant', startedAt: at(0) }),
    )
    await open(traceId, a)
    const ended = all({ executionId })
    await close(traceId, a)
    await inTenant(tenant.id, (tx) => endTrace(tx, tenant.id, { traceId, endedAt: at(3) }))
    const events = [`1 span.started ${a}`, `2 span.ended ${a}`]
    expect((await ended).slice(-1)).toEqual(events.slice(-1))
    expect(await all({ traceId })).toEqual(events)
    expect(await all({ executionId, lastEventId: '2' })).toEqual([])
  })

  test('of an execution that ended before its trace began ends without an event', async () => {
    const executionId = newId()
    await insertExecution(executionId, newTraceId())
    await asOwner(runtime, `update executions set status = 'denied', ended_at = now() where id = $1`, [executionId])
    expect(await all({ executionId })).toEqual([])
  })

  test('of an external agent stays open after its root span, for spans that arrive late', async () => {
    const traceId = await begin()
    const a = newSpanId()
    await open(traceId, a)
    await asOwner(runtime, 'update traces set ended_at = started_at where trace_id = $1', [traceId])
    const leave = new AbortController()
    const events = stream.run({ ...viewer, input: { traceId }, signal: leave.signal })[Symbol.asyncIterator]()
    await events.next()
    const late = events.next()
    await close(traceId, a)
    expect((await late).value?.[1]).toMatchObject({ type: 'span.ended' })
    leave.abort()
  })

  test('answers the same for an unknown trace and for one of another tenant', async () => {
    const traceId = await begin()
    const answers = await Promise.all(
      [
        follow({ traceId }, () => true, stranger),
        follow({ traceId: newTraceId() }, () => true, stranger),
        follow({ executionId: newId() }, () => true, stranger),
      ].map((attempt) => attempt.then(String, (error: unknown) => error)),
    )
    for (const answer of answers) expect(answer).toMatchObject({ code: 'not_found', message: 'Not found.' })
  })
})

describe('traces.getTrace', () => {
  test('counts masked values, including nested ones, and returns why they stay masked', async () => {
    const traceId = await begin()
    const marker = { $masked: { class: 'pii.email', length: 17 } }
    await open(traceId, newSpanId(), [
      { key: 'customer.email', value: marker },
      { key: 'arguments', value: { customer: { email: marker, tier: 'gold' }, copies: [marker] } },
      { key: 'fake', value: { $masked: 'no marker' } },
    ])
    const plain = await read(viewer, { traceId, tenantId: tenant.externalId })
    expect(plain.spans[0]?.attributes).toEqual([
      { key: 'customer.email', masked: { class: 'pii.email', length: 17 } },
      { key: 'arguments', value: { customer: { email: marker, tier: 'gold' }, copies: [marker] } },
      { key: 'fake', value: { $masked: 'no marker' } },
    ])
    expect(plain.masking).toEqual({ maskedValues: 3, revealed: false, reason: null })
    const asked = await read(viewer, { traceId, includeSensitiveData: true })
    expect(asked.masking).toMatchObject({ maskedValues: 3, revealed: false })
    expect(asked.masking.reason).toContain('trace:unmask')
  })

  test('refuses or does not find a trace of another tenant', async () => {
    const traceId = await begin()
    await expect(read(viewer, { traceId, tenantId: other.externalId })).rejects.toMatchObject({
      code: 'tenant_access_denied',
      message: 'Tenant access denied',
    })
    await expect(read(stranger, { traceId })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('requires trace:read', async () => {
    const reader = await tenant.as('reader', { roles: ['evidence:read'] })
    await expect(read(reader, { traceId: newTraceId() })).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test('traces.list pages through all traces, newest first, with their counts', async () => {
  const mine = await testTenant(runtime)
  const caller = await mine.as('vera', { roles: ['viewer'] })
  const ids = Array.from({ length: 5 }, newTraceId)
  for (const [index, traceId] of ids.entries()) {
    await inTenant(mine.id, async (tx) => {
      // Traces of the same instant are ordered by id.
      await startTrace(tx, mine.id, { traceId, name: `run ${index}`, startedAt: at(Math.min(index, 3)) })
      const span = { traceId, spanId: newSpanId(), attributes: [] }
      await startSpan(tx, mine.id, { ...span, name: 'x', kind: 'tool', startedAt: at(5) })
      await endSpan(tx, mine.id, { ...span, status: index === 2 ? 'error' : 'ok', endedAt: at(6) })
    })
  }
  const seen = []
  let cursor: string | null | undefined
  do {
    const page = await execute(list, caller, { limit: 2, ...(cursor ? { cursor } : {}) }, { name: 'traces.list' })
    seen.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  const [zero = '', one = '', two = '', three = '', four = ''] = ids
  expect(seen.map((item) => item.traceId)).toEqual([...[three, four].sort(), two, one, zero])
  expect(seen.map(({ spanCount, errorCount }) => [spanCount, errorCount])).toEqual([
    [1, 0],
    [1, 0],
    [1, 1],
    [1, 0],
    [1, 0],
  ])
  await expect(execute(list, caller, { cursor: 'x' }, { name: 'traces.list' })).rejects.toThrow('not a cursor')
})

/** Inserts an execution without its agent and release, which traces don't read. */
async function insertExecution(id: string, traceId: string): Promise<void> {
  await asOwner(
    runtime,
    `set session_replication_role = replica; insert into executions
    (tenant_id, id, agent_id, release_id, environment, status, trace_id, started_by)
    values ('${tenant.id}', '${id}', '${newId()}', '${newId()}', 'production', 'queued', '${traceId}', '${newId()}')`,
  )
}

test('a value without a canonical form is recorded unchanged or masked', () => {
  const value = JSON.parse('{"large":9007199254740993,"email":"a@b.example"}') as JsonValue
  const view = { large: 9007199254740992, email: '***' }
  expect(masked('result', value, (same) => same)).toEqual({ key: 'result', value, view: value })
  expect(masked('result', value, () => view)).toEqual({ key: 'result', value: view, view })
  expect(masked('result', { email: 'a@b.example' }, () => ({ email: '***' }))).toEqual({
    key: 'result',
    value: { email: 'a@b.example' },
    view: { email: '***' },
  })
})
