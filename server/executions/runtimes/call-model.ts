import type { JsonObject, JsonValue } from '#lib/json.ts'
import { failedCall, toolResult } from '#server/agents/tool-result.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { partialMaskerFor } from '#server/executions/state/masking.ts'
import { AddressRefused, NotReached } from '#server/kernel/net/outbound.ts'
import { SecretRefused } from '#server/secrets/use-value.ts'
import { openPartialText } from '#server/traces/partial/partial-text.ts'
import type { CallResult } from './budget.ts'
import { functionsOf, messagesFor } from './conversation.ts'
import { withEndpoint } from './endpoint.ts'
import { modelNamed } from './external.ts'
import { readCompletion } from './read-completion.ts'

/** The endpoint was not reached or turned the request away temporarily: a retry is safe and nothing is charged. */
export class NotServed extends Error {}

const idleMs = 60_000

/**
 * Calls the model once and streams its text to readers of the trace. Throws NotServed, or another error when the response was
 * cut off, so that its cost is unknown. A permanent refusal is a failed call.
 */
export async function callModel(
  { tenant, row, content, steps, input }: Loaded,
  {
    stepId,
    spanId,
    model: name,
    timeoutMs,
    signal,
  }: { stepId: string; spanId: string; model: string; timeoutMs: number; signal: AbortSignal },
): Promise<CallResult> {
  const model = modelNamed(content, name)
  if (model === undefined) throw new Error(`The release does not have a model named ${name}.`)
  const records = steps.map((record) => ({ ...record, output: record.output as JsonValue }))
  const tools =
    content.spec.runtime.chat === undefined ? [] : [...functionsOf(content).values()].map((one) => one.definition)
  const body: JsonObject = {
    model: model.model,
    messages: messagesFor(content, stepId, records, input) as JsonValue,
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: model.maxOutputTokens,
    ...(model.temperature === undefined ? {} : { temperature: model.temperature }),
    ...(tools.length === 0 ? {} : { tools }),
  }
  const partial = openPartialText(tenant.id, row.traceId, spanId)
  const showable = partialMaskerFor(content, [input, ...records.map((record) => record.output)])
  try {
    return await withEndpoint(
      tenant,
      { url: model.endpoint, secretRef: model.auth?.secretRef, idleMs: Math.min(idleMs, timeoutMs) },
      async (fetch, headers) => {
        const startedAt = Date.now()
        const answer = await fetch(`${model.endpoint.replace(/\/+$/, '')}/chat/completions`, {
          method: 'POST',
          headers: { ...headers, accept: 'text/event-stream' },
          body: JSON.stringify(body),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        })
        if (answer.status === 429 || answer.status === 408 || answer.status >= 500)
          throw new NotServed(`The model's endpoint returned the status ${answer.status}.`)
        if (!answer.ok || answer.body === null)
          return {
            ...failedCall(`The model's endpoint returned the status ${answer.status}.`),
            usage: { inputTokens: 0, outputTokens: 0 },
          }
        const { message, usage, response } = await readCompletion(answer.body, startedAt, (text) =>
          partial.set(text, showable),
        )
        return {
          ...toolResult({ content: [{ type: 'text', text: message.content }], structuredContent: message }),
          usage,
          response,
        }
      },
    )
  } catch (error) {
    if (error instanceof NotReached) throw new NotServed(error.message, { cause: error })
    if (error instanceof AddressRefused || error instanceof SecretRefused)
      return { ...failedCall(error.message), usage: { inputTokens: 0, outputTokens: 0 } }
    throw error
  } finally {
    await partial.close()
  }
}
