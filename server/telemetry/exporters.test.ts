import { OpenTelemetry } from '@ai-sdk/otel'
import { SemanticConventions } from '@arizeai/openinference-semantic-conventions'
import { type Attributes, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { generateText, jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { until } from '#server/testing/until.ts'

// Exporters that others wrote, with an endpoint and a header and nothing else.

let api: TestApi
let token: string
let maria: string
beforeAll(async () => {
  api = await startApi()
  token = await api.client('telemetry')
  maria = await api.person('maria')
}, 180_000)
afterAll(() => api.close())

const provider = (exporter: SpanExporter, service: string) =>
  new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
const options = (compression?: 'gzip') => ({
  url: `${api.baseUrl}/v1/traces`,
  headers: { authorization: `Bearer ${token}` },
  ...(compression === undefined ? {} : { compression: compression as never }),
})

type Read = {
  trace: { name: string; agentName: string | null }
  spans: {
    spanId: string
    name: string
    kind: string
    status: string
    parentSpanId: string | null
    attributes: { key: string; value?: unknown; masked?: { class: string } }[]
  }[]
}
const read = (traceId: string, spans: number): Promise<Read> =>
  until(async () => {
    const answer = await api.query(maria, 'traces.getTrace', { traceId })
    if (answer.status !== 200) return undefined
    const found = payload<Read>(answer)
    return found.spans.length >= spans ? found : undefined
  }, `${spans} spans arrived`)
const factsOf = async (traceId: string, spanId: string) =>
  payload<{ span: { facts: object } }>(await api.query(maria, 'traces.getSpan', { traceId, spanId })).span.facts

test.each([
  ['exporter-trace-otlp-http', 'JSON', undefined],
  ['exporter-trace-otlp-http', 'JSON', 'gzip'],
  ['exporter-trace-otlp-proto', 'protobuf', undefined],
  ['exporter-trace-otlp-proto', 'protobuf', 'gzip'],
] as const)('@opentelemetry/%s (%s, %s)', async (name, _encoding, compression) => {
  const Exporter = name === 'exporter-trace-otlp-http' ? JsonExporter : ProtobufExporter
  const sdk = provider(new Exporter(options(compression)), 'checkout-agent')
  const span = sdk.getTracer('test').startSpan('chat small-1', {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'mistral',
      'gen_ai.request.model': 'small-1',
      'gen_ai.usage.prompt_tokens': 11,
      'gen_ai.usage.completion_tokens': 7,
      'gen_ai.prompt.0.content': 'What is in the cart?',
    },
  })
  span.recordException(new Error('no such cart'))
  span.setStatus({ code: 2, message: 'no such cart' })
  span.end()
  await sdk.forceFlush()
  const { traceId, spanId } = span.spanContext()
  const { spans, trace: shown } = await read(traceId, 1)
  expect(shown.agentName).toBe('checkout-agent')
  expect(spans).toMatchObject([{ spanId, name: 'chat small-1', kind: 'model', status: 'error' }])
  expect(spans[0]?.attributes).toContainEqual({
    key: 'gen_ai.prompt.0.content',
    masked: { class: 'content', length: 20 },
  })
  expect(await factsOf(traceId, spanId)).toMatchObject({
    dialect: 'gen_ai',
    model: 'small-1',
    provider: 'mistral',
    inputTokens: 11,
    outputTokens: 7,
    service: 'checkout-agent',
  })
})

test('OpenInference, by its own conventions', async () => {
  const sdk = provider(new ProtobufExporter(options()), 'search')
  const span = sdk.getTracer('openinference').startSpan('ChatCompletion', {
    attributes: {
      [SemanticConventions.OPENINFERENCE_SPAN_KIND]: 'LLM',
      [SemanticConventions.LLM_MODEL_NAME]: 'big-2',
      [SemanticConventions.LLM_TOKEN_COUNT_PROMPT]: 5,
      [SemanticConventions.LLM_TOKEN_COUNT_COMPLETION]: 6,
      [SemanticConventions.INPUT_VALUE]: 'a question',
      [SemanticConventions.OUTPUT_VALUE]: 'an answer',
      [`${SemanticConventions.LLM_INPUT_MESSAGES}.0.message.content`]: 'a question',
      [SemanticConventions.USER_ID]: 'u-17',
    },
  })
  span.end()
  await sdk.forceFlush()
  const { traceId, spanId } = span.spanContext()
  const { spans } = await read(traceId, 1)
  expect(spans[0]?.kind).toBe('model')
  expect(spans[0]?.attributes.filter(({ masked }) => masked !== undefined)).toHaveLength(4)
  expect(await factsOf(traceId, spanId)).toMatchObject({
    dialect: 'openinference',
    model: 'big-2',
    inputTokens: 5,
    outputTokens: 6,
  })
})

test('Traceloop, by the attributes that its SDK documents', async () => {
  // What its SDK sends by itself is in instrumentations.test.ts; here, older names that it sent before, and kinds not used there.
  const sdk = provider(new ProtobufExporter(options()), 'joke-service')
  const tracer = sdk.getTracer('@traceloop/node-server-sdk')
  const spanOf = (name: string, attributes: Attributes, parent?: Span) => {
    const span = tracer.startSpan(name, { attributes }, parent && trace.setSpan(ROOT_CONTEXT, parent))
    span.end()
    return span
  }
  const of = (kind: string, name: string): Attributes => ({
    'traceloop.span.kind': kind,
    'traceloop.workflow.name': 'joke_creation',
    'traceloop.entity.name': name,
    'traceloop.entity.path': name,
    'traceloop.entity.input': '{"args":["Pavel"],"kwargs":{}}',
    'traceloop.entity.output': '"A joke about Pavel"',
    'traceloop.association.properties.user_id': 'Pavel',
  })
  const root = spanOf('joke_creation.workflow', of('workflow', 'joke_creation'))
  const agent = spanOf('joke_teller.agent', of('agent', 'joke_teller'), root)
  const task = spanOf('history.task', of('task', 'history'), agent)
  // The SDK names the agent on everything within it.
  const tool = spanOf('lookup.tool', { ...of('tool', 'lookup'), 'gen_ai.agent.name': 'joke_teller' }, agent)
  const chat = spanOf(
    'openai.chat',
    {
      'llm.request.type': 'chat',
      'traceloop.workflow.name': 'joke_creation',
      'gen_ai.system': 'OpenAI',
      'gen_ai.request.model': 'small-1',
      'gen_ai.response.model': 'small-1-2026',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Tell a joke about Pavel',
      'gen_ai.completion.0.content': 'Pavel walks into a bar',
      'gen_ai.usage.prompt_tokens': 9,
      'gen_ai.usage.completion_tokens': 21,
      'llm.usage.total_tokens': 30,
    },
    agent,
  )
  await sdk.forceFlush()
  const { traceId } = root.spanContext()
  const { spans } = await read(traceId, 5)
  const kinds = new Map(spans.map(({ spanId, kind }) => [spanId, kind]))
  expect([root, agent, task, tool, chat].map((span) => kinds.get(span.spanContext().spanId))).toEqual([
    'workflow',
    'agent',
    'workflow',
    'tool',
    'model',
  ])
  expect(JSON.stringify(spans)).not.toContain('Pavel')
  const facts = (span: Span) => factsOf(traceId, span.spanContext().spanId)
  expect(await facts(agent)).toMatchObject({ dialect: 'traceloop', agent: 'joke_teller' })
  expect(await facts(tool)).toMatchObject({
    dialect: 'gen_ai+traceloop',
    agent: 'joke_teller',
    tool: 'lookup',
    operation: 'tool',
  })
  expect(await facts(chat)).toMatchObject({
    dialect: 'gen_ai+traceloop',
    model: 'small-1-2026',
    provider: 'OpenAI',
    inputTokens: 9,
    outputTokens: 21,
  })
})

test('the ai SDK with a tool, through @ai-sdk/otel', async () => {
  const sdk = provider(new JsonExporter(options()), 'ai-agent')
  const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } }
  let turn = 0
  const model = new MockLanguageModelV4({
    doGenerate: (async () =>
      turn++ === 0
        ? {
            content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'lookup', input: '{"id":"A-7"}' }],
            finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: 'text', text: 'It is on its way to Pavel.' }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage,
            warnings: [],
          }) as never,
  })
  await generateText({
    model,
    prompt: 'Where is the order of Pavel?',
    tools: {
      lookup: tool({
        description: 'looks an order up',
        inputSchema: jsonSchema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } } }),
        execute: async () => 'shipped to Pavel',
      }),
    },
    stopWhen: ({ steps }) => steps.length === 2,
    telemetry: { functionId: 'order-helper', integrations: [new OpenTelemetry({ tracer: sdk.getTracer('ai') })] },
  })
  await sdk.forceFlush()
  const { items } = await until(async () => {
    const page = payload<{ items: { traceId: string; agentName: string | null; spanCount: number }[] }>(
      await api.query(maria, 'traces.list', { kind: 'tool', text: 'lookup' }),
    )
    return page.items.some((item) => item.spanCount > 3) ? page : undefined
  }, 'the run arrived')
  const { spans } = await read(items[0]?.traceId ?? '', 4)
  const kinds = spans.map(({ kind }) => kind)
  expect(kinds).toContain('model')
  expect(kinds).toContain('tool')
  // Content is on by default in this SDK: none of it is shown.
  expect(JSON.stringify(spans)).not.toContain('Pavel')
})
