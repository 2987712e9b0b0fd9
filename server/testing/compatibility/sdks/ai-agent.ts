// An agent with the ai SDK and a tool. Its model is the SDK's mock, so it sends no request to a provider.
import { OpenTelemetry } from '@ai-sdk/otel'
import { generateText, jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { tracingOf } from './tracing.ts'

const { provider, finish } = tracingOf('ai-agent', 'json')
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
          content: [{ type: 'text', text: 'It is being shipped to Pavel.' }],
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
  telemetry: { functionId: 'order-helper', integrations: [new OpenTelemetry({ tracer: provider.getTracer('ai') })] },
})
await finish()
