import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { maskValue } from '#lib/rules/mask.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId, newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { otlpProtobuf, type TestSpan } from '#server/testing/otlp.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { getTrace } from '#server/traces/get-trace.ts'
import { endSpan, masked, startSpan, startTrace } from '#server/traces/recording/record.ts'
import { unmask } from '#server/traces/unmask.ts'
import { decodeProtobuf } from './decode-protobuf.ts'
import { exportSpans } from './export.ts'

// Telemetry adds spans to an execution's trace.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let viewer: Caller
let officer: Caller
beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  viewer = await tenant.as('vera', { roles: ['viewer'] })
  officer = await tenant.as('pia', { roles: ['privacy_officer'] })
})
afterAll(() => runtime.close())

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 12, 0, second))
const email = 'pavel.novak@mail.example'
const mask = (value: JsonValue) => maskValue(value, [{ path: '$.customer.email', class: 'pii.email' }])

/** Creates an execution whose only span contains a masked value. */
async function executed(): Promise<{ traceId: string; spanId: string }> {
  const [executionId, agentId, traceId, spanId] = [newId(), newId(), newTraceId(), newSpanId()]
  // Without the rows of its agent and release, which traces don't read.
  await asOwner(
    runtime,
    `set session_replication_role = replica; insert into executions
    (tenant_id, id, agent_id, release_id, environment, status, trace_id, started_by)
    values ('${tenant.id}', '${executionId}', '${agentId}', '${newId()}', 'production', 'queued', '${traceId}', '${newId()}')`,
  )
  await runtime.database.inTenant(tenant.id, async (tx) => {
    await startTrace(tx, tenant.id, { traceId, executionId, agentId, name: 'refund-assistant', startedAt: at(0) })
    const attributes = [masked('arguments', { id: 'A-7', customer: { email } }, mask)]
    await startSpan(tx, tenant.id, {
      traceId,
      spanId,
      name: 'issue_refund',
      kind: 'tool',
      attributes,
      startedAt: at(1),
    })
    await endSpan(tx, tenant.id, { traceId, spanId, status: 'ok', attributes: [], endedAt: at(2) })
  })
  return { traceId, spanId }
}
const read = (caller: Caller, traceId: string) =>
  execute(getTrace, caller, { traceId, includeSensitiveData: true }, { name: 'traces.getTrace' })
async function send(spans: TestSpan[]) {
  const sdk = await tenant.as('sdk', { roles: ['traces:write'], kind: 'service_account' })
  const body = await decodeProtobuf(otlpProtobuf(spans, [['service.name', 'another-service']]))
  return await execute(exportSpans, sdk, body, { name: 'telemetry.export' })
}

test('telemetry joins the trace of an execution, and changes nothing that the execution recorded', async () => {
  const { traceId, spanId } = await executed()
  const before = await read(viewer, traceId)
  const forged: TestSpan = { traceId, spanId, name: 'forged', status: { code: 2 }, startMs: 1, endMs: 2 }
  const joined: TestSpan = { traceId, spanId: newSpanId(), parentSpanId: spanId, name: 'inner work', startMs: 1 }
  const root: TestSpan = { traceId, spanId: newSpanId(), name: 'another root', endMs: Date.UTC(2030, 0) }
  expect(await send([forged, joined, root])).toMatchObject({
    spans: 2,
    partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('another span has this trace id') },
  })
  // Repeated, in both encodings.
  for (const again of [forged, { ...forged, name: 'issue_refund' }])
    expect(await send([again])).toMatchObject({ spans: 0, partialSuccess: { rejectedSpans: '1' } })
  const after = await read(viewer, traceId)
  expect(after.spans.find((span) => span.spanId === spanId)).toEqual(before.spans[0])
  expect(after.trace).toEqual({ ...before.trace, spanCount: 3 })
  expect(after.spans.map(({ name, origin }) => [name, origin])).toEqual([
    ['issue_refund', 'execution'],
    ['inner work', 'telemetry'],
    ['another root', 'telemetry'],
  ])
})

test('telemetry that uses the id of a span which the execution records later is replaced', async () => {
  const { traceId, spanId } = await executed()
  const next = newSpanId()
  const squatter: TestSpan = { traceId, spanId: next, name: 'nothing to see', attributes: [['input.value', 'forged']] }
  expect(await send([squatter])).toMatchObject({ spans: 1 })
  const own = { traceId, spanId: next, parentSpanId: spanId, name: 'approval', kind: 'approval' as const }
  await runtime.database.inTenant(tenant.id, async (tx) => {
    await startSpan(tx, tenant.id, { ...own, attributes: [{ key: 'decision', value: 'approve' }], startedAt: at(3) })
    await endSpan(tx, tenant.id, { traceId, spanId: next, status: 'ok', attributes: [], endedAt: at(4) })
  })
  expect(await send([squatter])).toMatchObject({ spans: 0, partialSuccess: { rejectedSpans: '1' } })
  const { spans } = await read(viewer, traceId)
  expect(spans.find((span) => span.spanId === next)).toMatchObject({
    name: 'approval',
    parentSpanId: spanId,
    origin: 'execution',
    status: 'ok',
    endedAt: at(4).toISOString(),
    attributes: [{ key: 'decision', value: 'approve' }],
  })
})

test('a grant shows what an execution’s spans mask, to whom it was given, and only with it', async () => {
  const { traceId } = await executed()
  expect(JSON.stringify(await read(viewer, traceId))).not.toContain(email)
  const asked = await read(officer, traceId)
  expect([JSON.stringify(asked).includes(email), asked.masking.revealed]).toEqual([false, false])
  const justification = 'The customer asked what was sent about them.'
  await execute(unmask, officer, { traceId, purpose: 'Access request', justification }, { name: 'traces.unmask' })
  const shown = await read(officer, traceId)
  expect(shown.masking).toMatchObject({ revealed: true, maskedValues: 0 })
  expect(shown.spans[0]?.attributes).toEqual([
    expect.objectContaining({ key: 'arguments', value: { id: 'A-7', customer: { email } } }),
  ])
  expect(shown.seenBy).toMatchObject([{ justification, purpose: 'Access request' }])
  expect(JSON.stringify(await read(viewer, traceId))).not.toContain(email)
})
