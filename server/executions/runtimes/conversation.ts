import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { fillTemplate } from '#lib/rules/template.ts'
import { type StepRecord, scopeOf } from '#server/executions/state/next-step.ts'
import type { ReleaseContent, ReleasedTool } from '#server/releases/content.ts'

/** A message in the format of OpenAI-compatible endpoints. */
export type Message = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** The answer of one model call, as recorded by its step. */
export const ModelAnswer = z.object({
  content: z.string(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).default([]),
  finishReason: z.string().default('stop'),
})
export type ModelAnswer = z.infer<typeof ModelAnswer>

/** The released tools under names that every endpoint accepts: letters, digits, `_` and `-`, at most 64 characters. */
export function functionsOf(content: ReleaseContent): Map<string, { tool: ReleasedTool; definition: JsonObject }> {
  const functions = new Map<string, { tool: ReleasedTool; definition: JsonObject }>()
  for (const [index, tool] of content.tools.entries()) {
    const plain = `${tool.server}__${tool.name}`.replace(/[^A-Za-z0-9_-]/g, '_')
    const name = plain.length <= 64 && !functions.has(plain) ? plain : `${plain.slice(0, 58)}_${index}`
    const definition = {
      type: 'function',
      function: { name, description: tool.description, parameters: tool.inputSchema },
    }
    functions.set(name, { tool, definition })
  }
  return functions
}

/**
 * The messages for the model at a step, rebuilt from the journal to the same bytes after a crash. Approvals bind their digest,
 * so the wording of the errors below must not change.
 */
export function messagesFor(
  content: ReleaseContent,
  stepId: string,
  records: readonly StepRecord[],
  input: JsonObject,
): Message[] {
  if (content.spec.runtime.chat !== undefined) return chatMessages(content, records, input)
  const step = content.spec.runtime.steps?.find((candidate) => candidate.id === stepId)
  const model = step !== undefined && 'model' in step ? step.model : undefined
  if (!isJsonObject(model) || typeof model.prompt !== 'string')
    throw new Error(`The step ${stepId} does not call a model.`)
  const prompt = fillTemplate(model.prompt, scopeOf(records, input))
  return [{ role: 'user', content: typeof prompt === 'string' ? prompt : JSON.stringify(prompt) }]
}

function chatMessages(content: ReleaseContent, records: readonly StepRecord[], input: JsonObject): Message[] {
  const { chat } = content.spec.runtime
  if (chat === undefined) throw new Error('This is not a chat runtime.')
  const prompt: JsonValue = chat.prompt === undefined ? input : fillTemplate(chat.prompt, { input, steps: {} })
  const messages: Message[] = [
    ...(chat.instructions === undefined ? [] : [{ role: 'system' as const, content: chat.instructions }]),
    { role: 'user', content: typeof prompt === 'string' ? prompt : JSON.stringify(prompt) },
  ]
  const byId = new Map(records.map((record) => [record.stepId, record]))
  const functions = functionsOf(content)
  for (let turn = 1; ; turn += 1) {
    const record = byId.get(`turn-${turn}`)
    if (record?.status !== 'succeeded') return messages
    const answer = ModelAnswer.parse(record.output)
    messages.push({
      role: 'assistant',
      content: answer.content === '' ? null : answer.content,
      ...(answer.toolCalls.length === 0
        ? {}
        : {
            tool_calls: answer.toolCalls.map(({ id, name, arguments: args }) => ({
              id,
              type: 'function' as const,
              function: { name, arguments: args },
            })),
          }),
    })
    for (const [index, call] of answer.toolCalls.entries())
      messages.push({
        role: 'tool',
        tool_call_id: call.id,
        content: answerTo(call, byId.get(`turn-${turn}.tool-${index + 1}`)),
      })
  }

  function answerTo(call: ModelAnswer['toolCalls'][number], made: StepRecord | undefined): string {
    if (!functions.has(call.name)) return `Error: there is no tool ${call.name}.`
    if (parsedArguments(call.arguments) === undefined) return 'Error: the arguments are not a JSON object.'
    const text = typeof made?.output === 'string' ? made.output : JSON.stringify(made?.output ?? null)
    return made?.status === 'failed' ? `Error: ${text}` : text
  }
}

/** Undefined unless the text is a JSON object. */
export function parsedArguments(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text === '' ? '{}' : text)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
