import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { create } from '#server/agents/create.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { type OtlpValue, otlpProtobuf, type TestSpan } from '#server/testing/otlp.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { getTrace } from '#server/traces/get-trace.ts'
import { decodeProtobuf } from './decode-protobuf.ts'
import { exportSpans } from './export.ts'

// Fields that a manifest declares as sensitive are also masked in its agent's telemetry.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let sdk: Caller
beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  sdk = await tenant.as('sdk', { roles: ['traces:write'], kind: 'service_account' })
  const yaml = (await readFile(new URL('../demo/refund-assistant.yaml', import.meta.url), 'utf8'))
    .replace('$.customer.email', '$.claim.number')
    .replace('pii.email', 'customer')
    .replace(/^ *owner: .*\n/m, '')
  const maria = await tenant.as('maria', { roles: ['developer'] })
  await execute(create, maria, { yaml }, { name: 'agents.create' })
})
afterAll(() => runtime.close())

const send = async (spans: TestSpan[], service: string) =>
  await execute(exportSpans, sdk, await decodeProtobuf(otlpProtobuf(spans, [['service.name', service]])), {
    name: 'telemetry.export',
  })

async function shown(traceId: string) {
  const { spans } = await execute(
    getTrace,
    await tenant.as('vera', { roles: ['viewer'] }),
    { traceId },
    { name: 'read' },
  )
  return spans.map(({ attributes }) => attributes)
}

const sensitive: [string, OtlpValue][] = [
  ['claim.number', 'C-1017'],
  ['claim.number', 1017],
  ['request.claim.number', 'C-1017'],
  ['claim', { pairs: [['number', 'C-1017']] }],
  ['payload', '{"claim":{"number":"C-1017"}}'],
  ['payloads', [{ pairs: [['claim', { pairs: [['number', 'C-1017']] }]] }]],
]
const plain: [string, OtlpValue][] = [
  ['claim.tier', 'gold'],
  ['number', 3],
  ['payload', '{"claim":{"tier":"gold"}}'],
  ['broken', '{"claim":'],
]

test('a registered agent’s telemetry is masked where its manifest says so, however deep it stands', async () => {
  const traceId = newTraceId()
  await send([{ traceId, spanId: newSpanId(), attributes: [...sensitive, ...plain] }], 'refund-assistant')
  const [attributes] = await shown(traceId)
  expect(attributes).toEqual([
    ...sensitive.map(([key]) => ({ key, masked: { class: 'customer', length: expect.any(Number) } })),
    ...plain.map(([key, value]) => ({ key, value })),
  ])
  expect(JSON.stringify(attributes)).not.toContain('1017')
})

test('so is what a library says in between, within the batch and after it', async () => {
  const traceId = newTraceId()
  const spanOf = (agent?: string): TestSpan => ({
    traceId,
    spanId: newSpanId(),
    attributes: [
      ['claim.number', 'C-1017'],
      ...(agent === undefined ? [] : [['gen_ai.agent.name', agent] as [string, string]]),
    ],
  })
  await send([spanOf(), spanOf('refund-assistant')], 'shop')
  await send([spanOf()], 'shop-worker')
  const all = await shown(traceId)
  expect(all).toHaveLength(3)
  expect(JSON.stringify(all)).not.toContain('C-1017')
})

test('an agent that declared nothing keeps what is not sensitive by itself', async () => {
  const traceId = newTraceId()
  await send([{ traceId, spanId: newSpanId(), attributes: [['claim.number', 'C-1017']] }], 'another-service')
  expect(await shown(traceId)).toEqual([[{ key: 'claim.number', value: 'C-1017' }]])
})

test('the same request again adds nothing and leaves no record', async () => {
  const traceId = newTraceId()
  const body = otlpProtobuf([{ traceId, spanId: newSpanId() }])
  const run = async () => execute(exportSpans, sdk, await decodeProtobuf(body), { name: 'telemetry.export' })
  expect(await run()).toMatchObject({ spans: 1, traces: 1, root: expect.stringMatching(/^[0-9a-f]{64}$/) })
  const again = await run()
  expect(again).toMatchObject({ spans: 0, repeated: 1 })
  expect(again.root).toBeUndefined()
})
