import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import type { GetTraceOutput } from '#lib/schemas/traces.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// What a comparison of two traces gets of each, over HTTP.

let api: TestApi
let agentId: string
beforeAll(async () => {
  api = await startApi()
  agentId = await releaseRefundAgent(api, 'refund-compared')
}, 180_000)
afterAll(() => api.close())

async function compared(traceId: string) {
  const answer = await api.query(await api.person('maria'), 'traces.getTrace', { traceId, view: 'comparison' })
  const { skeleton, contents, spans, ...rest } = payload<z.infer<typeof GetTraceOutput>>(answer)
  if (skeleton === undefined || contents === undefined) throw new Error('the view lacks its columns')
  expect(spans).toEqual([])
  const rowOf = (name: string) => skeleton.name.indexOf(skeleton.names.indexOf(name))
  const of = (name: string) => ({ input: contents.input[rowOf(name)], output: contents.output[rowOf(name)] })
  return { ...rest, contents, rowOf, of, rows: skeleton.spanIds.length }
}

/** The trace of a refund that waits for its approval. */
async function refund(orderId: string): Promise<string> {
  const executions = executionsOf(api)
  const id = await executions.start(agentId, { orderId })
  await until(async () => {
    const { steps } = await executions.get(id)
    return steps.find((step) => step.id === 'refund')?.approvalId ?? undefined
  }, `${id} asks`)
  return (await executions.get(id)).traceId
}

test('the same input has the same digest, another input another one, and masked content none', async () => {
  const [first, again, other] = [
    await compared(await refund('A-1001')),
    await compared(await refund('A-1001')),
    await compared(await refund('A-1002')),
  ]
  const call = 'execute_tool lookup_order'
  expect(first.of(call).input).toMatch(/^[\w-]{8}$/)
  expect(again.of(call).input).toBe(first.of(call).input)
  expect(other.of(call).input).not.toBe(first.of(call).input)
  // The order names the customer's address, which is sensitive.
  expect(first.of(call).output).toBe('hidden')
  expect(first.contents.input).toHaveLength(first.rows)
  expect(first.contents.output).toHaveLength(first.rows)
  expect(first.of('decide payments.issue_refund')).toEqual({ input: '', output: '' })
})

test('model calls have their tokens, and a trace says what its agent is called', async () => {
  const traceId = newTraceId()
  const root = newSpanId()
  const at = Date.now() - 5_000
  const span = { traceId, startMs: at, endMs: at + 10 }
  const body = otlpJson(
    [
      { ...span, spanId: root, name: 'answer' },
      {
        ...span,
        spanId: newSpanId(),
        parentSpanId: root,
        name: 'chat small-1',
        attributes: [
          ['gen_ai.operation.name', 'chat'],
          ['gen_ai.request.model', 'small-1'],
          ['gen_ai.usage.input_tokens', 1204],
          ['gen_ai.usage.output_tokens', 96],
          ['gen_ai.input.messages', '[]'],
        ],
      },
    ],
    [['service.name', 'helper']],
  )
  const headers = { 'content-type': 'application/json' }
  const sent = await api.request(await api.client('telemetry'), '/v1/traces', { method: 'POST', headers, body })
  expect(sent.status).toBe(200)
  const { contents, rowOf, of, trace } = await compared(traceId)
  expect(contents.calls).toEqual([{ row: rowOf('chat small-1'), inputTokens: 1204, outputTokens: 96, cost: null }])
  expect(of('chat small-1').input).toBe('hidden')
  expect(trace.agentName).toBe('helper')

  const refunds = await compared(await refund('A-1001'))
  expect(refunds.trace).toMatchObject({ name: 'refund-compared 1.4.0', agentName: 'Refund assistant' })
})
