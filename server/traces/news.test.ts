import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { databaseTraffic } from '#server/kernel/db/connection.ts'
import { plannedOnceSettings } from '#server/kernel/db/statements/control.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type Statement, scansOfPrepared, statementsOf } from '#server/testing/statements.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { type News, type Position, readNews } from './news.ts'
import { endSpan, startSpan, startTrace } from './recording/record.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  // As in an installation: until its adoption has ended, a tenant's rows are not checked.
  expect(await adoptTenant(tenant.id)).toBe(true)
})
afterAll(() => runtime.close())

/** A trace of an execution with this many open spans, and the position of a follower who has seen none of them. */
async function traceOf(spans: number): Promise<Position> {
  const traceId = newTraceId()
  await runtime.database.inTenant(tenant.id, async (tx) => {
    await startTrace(tx, tenant.id, { traceId, name: 'followed', startedAt: new Date() })
    for (let number = 0; number < spans; number++) await start(tx, traceId)
  })
  return { tenantId: tenant.id, traceId, executionId: undefined, day: undefined, after: 0, answering: undefined }
}

type Tx = Parameters<typeof startSpan>[0]

async function start(tx: Tx, traceId: string): Promise<string> {
  const spanId = newSpanId()
  const attributes = [{ key: 'gen_ai.tool.call.arguments', value: { id: 'A-1001' } }]
  await startSpan(tx, tenant.id, { traceId, spanId, name: 'lookup', kind: 'tool', attributes, startedAt: new Date() })
  return spanId
}

/** Adds other traces to the day. Their spans are copies of one that is there. */
const addTraces = ({ traces, spans }: { traces: number; spans: number }): Promise<void> =>
  asOwner(
    runtime,
    `insert into spans select copy.* from (select to_jsonb(spans) as span from spans limit 1) s,
       generate_series(1, $1::integer) t, generate_series(1, $2::integer) n,
       jsonb_populate_record(null::spans, span || jsonb_build_object(
         'trace_id', lpad(to_hex(t), 32, '0'), 'span_id', lpad(to_hex(n), 16, '0'), 'start_change', n)) copy`,
    [traces, spans],
  )

const after = (position: Position, { day, answering, changes }: News): Position => ({
  ...position,
  day,
  answering,
  after: changes.at(-1)?.change ?? position.after,
})
const numbers = ({ changes }: News) => changes.map(({ change }) => change)

test('the changes of a trace come in order, a hundred at a time, starts and ends', async () => {
  const position = await traceOf(150)
  const first = await readNews(position)
  expect({ numbers: numbers(first), more: first.more }).toEqual({ numbers: count(1, 100), more: true })
  const next = after(position, first)
  const second = await readNews(next)
  expect({ numbers: numbers(second), more: second.more }).toEqual({ numbers: count(101, 150), more: false })
  const [spanId, endedAt] = [spanOf(first), new Date()]
  await runtime.database.inTenant(tenant.id, (tx) =>
    endSpan(tx, tenant.id, { traceId: position.traceId, spanId, status: 'ok', attributes: [], endedAt }),
  )
  const third = await readNews(after(next, second))
  expect(third.changes).toMatchObject([{ change: 151, event: { type: 'span.ended', span: { spanId, status: 'ok' } } }])
})

test('twenty followers who have seen the same cost one read, and another position a second one', async () => {
  const position = await traceOf(3)
  const known = after(position, await readNews(position))
  await runtime.database.inTenant(tenant.id, (tx) => start(tx, position.traceId))
  await readNews(known)
  const before = databaseTraffic()
  const alone = await readNews(known)
  const cost = databaseTraffic().statements - before.statements
  const middle = databaseTraffic()
  const all = await Promise.all(Array.from({ length: 20 }, () => readNews(known)))
  expect(databaseTraffic().statements - middle.statements).toBe(cost)
  expect(all).toEqual(Array.from({ length: 20 }, () => alone))
  const [one, other] = await Promise.all([readNews(known), readNews({ ...known, after: 1 })])
  expect([numbers(one), numbers(other)]).toEqual([[4], [2, 3, 4]])
})

test('a follower of a long trace reads what is new, in one write, also with one plan for all values', async () => {
  const position = await traceOf(400)
  let known = position
  for (let more = true; more; ) {
    const news = await readNews(known)
    known = after(known, news)
    more = news.more
  }
  const late = { ...known, after: 398 }
  await readNews(late)
  const { writes } = databaseTraffic()
  expect(numbers(await readNews(late))).toEqual([399, 400])
  expect(databaseTraffic().writes - writes).toBe(1)
  const statements = await statementsOf(() => readNews(late))
  // Whether it is over comes before the changes: a follower leaves with all of them.
  expect(statements.map(({ text }) => /as over/.test(text))).toEqual([true, false])
  const fromTheBeginning = await statementsOf(() => readNews({ ...known, after: 0 }))

  const mostRead = async (asked: readonly Statement[]): Promise<number> => {
    const scans = await runtime.database.inTenant(tenant.id, async (tx) => {
      for (const [name, value] of plannedOnceSettings)
        await tx.executeQuery(CompiledQuery.raw(`set local ${name} = '${value}'`))
      return await scansOfPrepared(tx, asked)
    })
    return Math.max(...scans.flat().map(({ rows }) => rows))
  }
  // PostgreSQL learns at any time what the table contains: nothing yet, one long trace, or that most traces are short.
  for (const learned of [
    () => Promise.resolve(),
    () => asOwner(runtime, 'analyze spans'),
    () => addTraces({ traces: 300, spans: 3 }).then(() => asOwner(runtime, 'analyze spans')),
  ]) {
    await learned()
    expect(await mostRead(statements)).toBeLessThanOrEqual(4)
    // At the beginning it reads the page, and not all that is left to read.
    expect(await mostRead(fromTheBeginning)).toBeLessThanOrEqual(101)
  }
})

test('a span that SQL has changed is not news', async () => {
  const position = await traceOf(2)
  const news = await readNews(position)
  await asOwner(runtime, `update spans set name = 'harmless' where trace_id = $1 and span_id = $2`, [
    position.traceId,
    spanOf(news),
  ])
  await expect(readNews(position)).rejects.toMatchObject({ code: 'integrity_failed', details: { type: 'span' } })
  // What came after it is.
  expect(numbers(await readNews({ ...after(position, news), after: 1 }))).toEqual([2])
})

const count = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

function spanOf({ changes: [first] }: News): string {
  if (first === undefined || !('span' in first.event)) throw new Error('unreachable: the trace has spans')
  return first.event.span.spanId
}
