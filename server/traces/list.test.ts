import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { decodeRequest } from '#server/telemetry/decode-json.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import { otlpJson, type TestSpan } from '#server/testing/otlp.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { list } from './list.ts'

// Each filter of the list of traces, all filters combined, and their pages.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let viewer: Caller
const began = Date.UTC(2026, 10, 20, 12)
const ids: Record<string, string> = {}

beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  viewer = await tenant.as('vera', { roles: ['viewer'] })
  const sdk = await tenant.as('sdk', { roles: ['traces:write'], kind: 'service_account' })
  const send = async (label: string, minute: number, agent: string, span: Partial<TestSpan>, more: TestSpan[] = []) => {
    const traceId = newTraceId()
    ids[label] = traceId
    const startMs = began + minute * 60_000
    const root = { traceId, spanId: newSpanId(), startMs, endMs: startMs + 5, ...span }
    const body: unknown = JSON.parse(
      otlpJson(
        [root, ...more.map((one) => ({ ...one, traceId, startMs, endMs: startMs + 1 }))],
        [['service.name', agent]],
      ),
    )
    await execute(exportSpans, sdk, decodeRequest(body), { name: 'telemetry.export' })
  }
  const child: TestSpan = { traceId: '', spanId: newSpanId(), parentSpanId: 'aaaaaaaaaaaaaaaa' }
  await send('refund', 0, 'refund-bot', { name: 'Refund order' })
  await send('broken', 1, 'refund-bot', { name: 'Refund order', status: { code: 2 } })
  await send('tool', 2, 'search-bot', { name: 'answer' }, [
    { ...child, name: 'execute_tool Lookup', attributes: [['gen_ai.operation.name', 'execute_tool']] },
  ])
  // Its root has not arrived yet.
  await send('open', 3, 'search-bot', { name: 'chat', parentSpanId: 'bbbbbbbbbbbbbbbb' })
  const other = await testTenant(runtime)
  const theirs = await other.as('sdk', { roles: ['traces:write'], kind: 'service_account' })
  const foreign: unknown = JSON.parse(otlpJson([{ traceId: newTraceId(), spanId: newSpanId(), name: 'Refund order' }]))
  await execute(exportSpans, theirs, decodeRequest(foreign), { name: 'telemetry.export' })
})
afterAll(() => runtime.close())

async function found(input: object, limit = 50): Promise<string[]> {
  const names = new Map(Object.entries(ids).map(([label, traceId]) => [traceId, label]))
  const labels: string[] = []
  let cursor: string | null | undefined
  do {
    const page = await execute(
      list,
      viewer,
      { ...input, limit, ...(cursor ? { cursor } : {}) },
      { name: 'traces.list' },
    )
    expect(page.items.length).toBeLessThanOrEqual(limit)
    labels.push(...page.items.map(({ traceId }) => names.get(traceId) ?? 'unknown'))
    cursor = page.nextCursor
  } while (cursor !== null)
  return labels
}
const minute = (number: number) => new Date(began + number * 60_000).toISOString()

test.each<[string, object, string[]]>([
  ['nothing', {}, ['open', 'tool', 'broken', 'refund']],
  ['the agent’s name', { agent: 'refund-bot' }, ['broken', 'refund']],
  ['an unknown agent', { agent: 'no-bot' }, []],
  ['status error', { status: 'error' }, ['broken']],
  ['status ok', { status: 'ok' }, ['tool', 'refund']],
  ['status open', { status: 'open' }, ['open']],
  ['a kind that one of its spans has', { kind: 'tool' }, ['tool']],
  ['from, inclusive', { from: minute(2) }, ['open', 'tool']],
  ['to, exclusive', { to: minute(2) }, ['broken', 'refund']],
  ['from and to', { from: minute(1), to: minute(3) }, ['tool', 'broken']],
  ['text in the name of the trace, whatever its case', { text: 'REFUND' }, ['broken', 'refund']],
  ['text in the name of a span', { text: 'tool look' }, ['tool']],
  ['characters that a pattern would read', { text: '%' }, []],
  [
    'all of them',
    { agent: 'refund-bot', status: 'error', kind: 'other', text: 'order', from: minute(0), to: minute(9) },
    ['broken'],
  ],
])('filtered by %s', async (_, input, expected) => {
  expect(await found(input)).toEqual(expected)
  // With one row on each page, the same traces match in the same order, once each.
  expect(await found(input, 1)).toEqual(expected)
})

test('by a registered agent’s id', async () => {
  const agentId = '01990000-0000-7000-8000-000000000001'
  const { memberId } = viewer.principal
  await asOwner(
    runtime,
    `insert into agents (tenant_id, id, name, display_name, status, created_by)
     values ('${tenant.id}', '${agentId}', 'search-bot', 'Search', 'registered', '${memberId}');
     update traces set agent_id = '${agentId}' where tenant_id = '${tenant.id}' and agent_name = 'search-bot'`,
  )
  expect(await found({ agentId })).toEqual(['open', 'tool'])
  expect(await found({ agentId }, 1)).toEqual(['open', 'tool'])
  expect(await found({ agentId: '01990000-0000-7000-8000-000000000002' })).toEqual([])
})
