import { z } from 'zod'
import type { CallResult, Usage } from './budget.ts'
import type { ModelAnswer } from './conversation.ts'

const Chunk = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            tool_calls: z
              .array(
                z.looseObject({
                  index: z.int().min(0).max(127).default(0),
                  id: z.string().nullish(),
                  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z
    .looseObject({ prompt_tokens: z.int().min(0).default(0), completion_tokens: z.int().min(0).default(0) })
    .nullish(),
})

/**
 * Reads a streamed chat completion. Throws when it ends without a finish reason, because the answer is then incomplete.
 * `onText` receives the whole text so far, each time it has grown.
 */
export async function readCompletion(
  body: ReadableStream<Uint8Array>,
  startedAt: number,
  onText: (content: string) => void,
): Promise<{ message: ModelAnswer; usage: Usage | undefined; response: NonNullable<CallResult['response']> }> {
  let content = ''
  let finishReason: string | undefined
  let usage: Usage | undefined
  const calls: ModelAnswer['toolCalls'] = []
  const response: NonNullable<CallResult['response']> = {}
  for await (const data of eventData(body)) {
    if (data === '[DONE]') break
    const chunk = Chunk.parse(JSON.parse(data))
    response.firstChunkMs ??= Date.now() - startedAt
    if (typeof chunk.id === 'string') response.id = chunk.id
    if (typeof chunk.model === 'string') response.model = chunk.model
    if (chunk.usage) usage = { inputTokens: chunk.usage.prompt_tokens, outputTokens: chunk.usage.completion_tokens }
    const [choice] = chunk.choices
    const piece = choice?.delta?.content ?? ''
    content += piece
    if (piece !== '') onText(content)
    for (const part of choice?.delta?.tool_calls ?? []) {
      const call = calls[part.index] ?? { id: '', name: '', arguments: '' }
      calls[part.index] = {
        id: part.id ?? call.id,
        name: call.name + (part.function?.name ?? ''),
        arguments: call.arguments + (part.function?.arguments ?? ''),
      }
    }
    finishReason = choice?.finish_reason ?? finishReason
  }
  if (finishReason === undefined) throw new Error('The model’s answer was cut off.')
  const toolCalls = calls
    .filter((call) => call !== undefined)
    .map((call, index) => ({ ...call, id: call.id || `call-${index}` }))
  return { message: { content, toolCalls, finishReason }, usage, response: { ...response, finishReason } }
}

/** The `data` of each server-sent event. */
async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim()
  }
  if (rest.startsWith('data:')) yield rest.slice(5).trim()
}
