import { definedOnly, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { Masker } from '#server/executions/state/masking.ts'
import { type Attributes, masked } from '#server/traces/recording/record.ts'
import type { CallResult } from './budget.ts'
import { messagesFor } from './conversation.ts'
import { modelNamed } from './external.ts'

/** Of longer conversations, the span contains only the last message. */
const mostContentBytes = 64 * 1024

/** A model call in the terms of OpenTelemetry's GenAI conventions; its content is masked like tool arguments. */
export function modelAttributes(
  { content, steps, input, mask }: Loaded,
  { step, tool }: { step: { id: string }; tool: { name: string } },
): Attributes {
  const model = modelNamed(content, tool.name)
  const records = steps.map((record) => ({ ...record, output: record.output as JsonValue }))
  const messages = messagesFor(content, step.id, records, input)
  const shown = Buffer.byteLength(JSON.stringify(messages)) > mostContentBytes ? messages.slice(-1) : messages
  return [
    { key: 'gen_ai.operation.name', value: 'chat' },
    { key: 'gen_ai.provider.name', value: 'openai-compatible' },
    { key: 'gen_ai.request.model', value: tool.name },
    ...(model === undefined
      ? []
      : [
          { key: 'server.address', value: new URL(model.endpoint).host },
          { key: 'gen_ai.request.max_tokens', value: model.maxOutputTokens },
        ]),
    masked('gen_ai.input.messages', shown as JsonValue, mask),
  ]
}

export function modelResultAttributes(
  { ok, usage, response, output }: CallResult,
  mask: Masker,
  cost: { amount: string; currency: string } | undefined,
): Attributes {
  const present = (key: string, value: JsonValue | undefined) => (value === undefined ? [] : [{ key, value }])
  return [
    ...present('gen_ai.response.model', response?.model),
    ...present('gen_ai.response.id', response?.id),
    ...present('gen_ai.response.finish_reasons', response?.finishReason && [response.finishReason]),
    ...present('gen_ai.response.time_to_first_chunk', response?.firstChunkMs && response.firstChunkMs / 1000),
    ...present('gen_ai.usage.input_tokens', usage?.inputTokens),
    ...present('gen_ai.usage.output_tokens', usage?.outputTokens),
    ...present('countersign.cost', cost && `${cost.amount} ${cost.currency}`),
    ...(ok ? [masked('gen_ai.output.messages', output, mask)] : []),
  ]
}

/** The tokens and cost of a call in the journal. */
export const usageData = ({ usage }: CallResult, cost: { amount: string; currency: string } | undefined): JsonObject =>
  definedOnly({ usage, cost })
