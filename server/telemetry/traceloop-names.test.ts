import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { type OtlpValue, otlpProtobuf } from '#server/testing/otlp.ts'

// Attributes that Traceloop documents: older names than its SDK sends today (see recorded-sdks.test.ts), and other kinds.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

test('the documented attributes of Traceloop give each span its kind and facts, and nothing of their content is shown', async () => {
  const traceId = newTraceId()
  const span = (name: string, attributes: [string, OtlpValue][], parentSpanId?: string) => ({
    traceId,
    spanId: newSpanId(),
    name,
    attributes,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
  })
  const of = (kind: string, name: string): [string, OtlpValue][] => [
    ['traceloop.span.kind', kind],
    ['traceloop.workflow.name', 'joke_creation'],
    ['traceloop.entity.name', name],
    ['traceloop.entity.path', name],
    ['traceloop.entity.input', '{"args":["Pavel"],"kwargs":{}}'],
    ['traceloop.entity.output', '"A joke about Pavel"'],
    ['traceloop.association.properties.user_id', 'Pavel'],
  ]
  const root = span('joke_creation.workflow', of('workflow', 'joke_creation'))
  const agent = span('joke_teller.agent', of('agent', 'joke_teller'), root.spanId)
  const task = span('history.task', of('task', 'history'), agent.spanId)
  // The SDK names the agent on all spans within it.
  const tool = span('lookup.tool', [...of('tool', 'lookup'), ['gen_ai.agent.name', 'joke_teller']], agent.spanId)
  const chat = span(
    'openai.chat',
    [
      ['llm.request.type', 'chat'],
      ['traceloop.workflow.name', 'joke_creation'],
      ['gen_ai.system', 'OpenAI'],
      ['gen_ai.request.model', 'small-1'],
      ['gen_ai.response.model', 'small-1-2026'],
      ['gen_ai.prompt.0.role', 'user'],
      ['gen_ai.prompt.0.content', 'Tell a joke about Pavel'],
      ['gen_ai.completion.0.content', 'Pavel walks into a bar'],
      ['gen_ai.usage.prompt_tokens', 9],
      ['gen_ai.usage.completion_tokens', 21],
      ['llm.usage.total_tokens', 30],
    ],
    agent.spanId,
  )
  const sent = [root, agent, task, tool, chat]
  const answer = await api.request(await api.client('telemetry'), '/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: otlpProtobuf(sent, [['service.name', 'joke-service']]),
  })
  expect(answer.status, answer.text).toBe(200)

  const maria = await api.person('maria')
  const read = await api.query(maria, 'traces.getTrace', { traceId })
  expect(read.text).not.toContain('Pavel')
  const { spans } = payload<{ spans: { spanId: string; kind: string }[] }>(read)
  const kinds = new Map(spans.map(({ spanId, kind }) => [spanId, kind]))
  expect(sent.map(({ spanId }) => kinds.get(spanId))).toEqual(['workflow', 'agent', 'workflow', 'tool', 'model'])
  const factsOf = async ({ spanId }: { spanId: string }) =>
    payload<{ span: { facts: object } }>(await api.query(maria, 'traces.getSpan', { traceId, spanId })).span.facts
  expect(await factsOf(agent)).toMatchObject({ dialect: 'traceloop', agent: 'joke_teller' })
  expect(await factsOf(tool)).toMatchObject({
    dialect: 'gen_ai+traceloop',
    agent: 'joke_teller',
    tool: 'lookup',
    operation: 'tool',
  })
  expect(await factsOf(chat)).toMatchObject({
    dialect: 'gen_ai+traceloop',
    model: 'small-1-2026',
    provider: 'OpenAI',
    inputTokens: 9,
    outputTokens: 21,
  })
})
