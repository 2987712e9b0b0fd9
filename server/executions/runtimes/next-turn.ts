import { createHash } from 'node:crypto'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { modelsOf } from '#lib/rules/models.ts'
import { TemplateError } from '#lib/rules/template.ts'
import type { Step } from '#lib/schemas/manifest.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { type NextStep, nextStep, type StepRecord, type ToolStep } from '#server/executions/state/next-step.ts'
import type { ReleaseContent } from '#server/releases/content.ts'
import { functionsOf, type Message, ModelAnswer, messagesFor, parsedArguments } from './conversation.ts'
import { nextA2a } from './next-a2a.ts'
import { isGatewayCall, nextGateway } from './next-gateway.ts'

const defaultModelCalls = 50

/** The next step of a loaded execution. */
export const nextOf = ({ content, input, steps }: Loaded): NextStep =>
  nextTurn(
    content,
    steps.map(({ stepId, status, output }) => ({ stepId, status, output: output as JsonValue })),
    input,
  )

/** The next step of an execution with any runtime, from its journal alone. */
export function nextTurn(content: ReleaseContent, records: readonly StepRecord[], input: JsonObject): NextStep {
  const { runtime } = content.spec
  if (isGatewayCall(records)) return nextGateway(records, input)
  if (runtime.chat !== undefined) return nextChat(content, records, input)
  if (runtime.http !== undefined) return nextHttp(records, input)
  if (runtime.a2a !== undefined) return nextA2a(records, input)
  return modelled(nextStep(runtime.steps ?? [], records, input))

  /** Turns a step that calls a model into a call. */
  function modelled(next: NextStep): NextStep {
    if (next.kind !== 'model' && (next.kind !== 'resume' || !isModelStep(next.step))) return next
    const model = modelsOf(content.spec).find(({ name }, index) =>
      isModelStep(next.step) && next.step.model.use !== undefined ? name === next.step.model.use : index === 0,
    )
    if (model === undefined)
      return {
        kind: 'fail',
        step: next.step,
        code: 'model_not_released',
        message: 'The release does not include this model.',
      }
    const step = toolStep(next.step.id, 'model', model.model, {})
    if (next.kind === 'resume') return { ...next, step }
    try {
      const messages = messagesFor(content, step.id, records, input)
      return { ...called(step), arguments: modelArguments(messages, model.maxOutputTokens), index: next.index }
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      return { kind: 'fail', step: next.step, code: 'template_error', message: error.message }
    }
  }
}

type ModelStep = Extract<Step, { model: unknown }>
const isModelStep = (step: Step): step is ModelStep => 'model' in step && typeof step.model === 'object'

/** One POST, whose response is the output. */
function nextHttp(records: readonly StepRecord[], input: JsonObject): NextStep {
  const step = toolStep('call', 'agent', 'http', input)
  const record = records.find((candidate) => candidate.stepId === step.id)
  if (record?.status === 'succeeded') return { kind: 'done', output: record.output }
  return resumed(step, record) ?? called(step)
}

/** The model's turn, or the next tool call that its last turn requested. Tool calls run one after the other. */
function nextChat(content: ReleaseContent, records: readonly StepRecord[], input: JsonObject): NextStep {
  const { chat } = content.spec.runtime
  if (chat === undefined) throw new Error('This is not a chat runtime.')
  const byId = new Map(records.map((record) => [record.stepId, record]))
  const functions = functionsOf(content)
  for (let turn = 1; ; turn += 1) {
    const id = `turn-${turn}`
    const record = byId.get(id)
    if (record?.status !== 'succeeded') {
      const again = resumed(toolStep(id, 'model', chat.model, {}), record)
      if (again !== undefined) return again
      if (turn > (content.spec.limits.maxModelCalls ?? defaultModelCalls)) {
        const message = 'The execution has reached the limit of model calls in its manifest.'
        return { kind: 'fail', step: toolStep(id, 'model', chat.model, {}), code: 'limit_exceeded', message }
      }
      const messages = messagesFor(content, id, records, input)
      return called(toolStep(id, 'model', chat.model, modelArguments(messages, chat.maxOutputTokens)))
    }
    const { content: text, toolCalls } = ModelAnswer.parse(record.output)
    if (toolCalls.length === 0) return { kind: 'done', output: text }
    for (const [index, call] of toolCalls.entries()) {
      const tool = functions.get(call.name)?.tool
      const args = parsedArguments(call.arguments)
      // An invalid call is not made; the conversation reports the error to the model.
      if (tool === undefined || args === undefined) continue
      const step = toolStep(`${id}.tool-${index + 1}`, tool.server, tool.name, args)
      const made = byId.get(step.id)
      if (made?.status === 'succeeded' || made?.status === 'failed') continue
      return resumed(step, made) ?? called(step)
    }
  }
}

/** The part of a model call that is decided, approved and recorded: its size, and a digest that binds the messages. */
export const modelArguments = (messages: readonly Message[], maxOutputTokens: number): JsonObject => ({
  inputCharacters: JSON.stringify(messages).length,
  maxOutputTokens,
  messages: `sha256:${createHash('sha256')
    .update(canonicalJson([...messages] as JsonValue))
    .digest('hex')}`,
})

const toolStep = (id: string, server: string, name: string, args: JsonObject): ToolStep => ({
  id,
  tool: { server, name, arguments: args },
})

const called = (step: ToolStep): Extract<NextStep, { kind: 'call' }> => ({
  kind: 'call',
  step,
  tool: { server: step.tool.server, name: step.tool.name },
  arguments: step.tool.arguments as JsonObject,
  index: -1,
})

const resumed = (step: ToolStep, record: StepRecord | undefined): NextStep | undefined =>
  record?.status === 'waiting_approval' || record?.status === 'approved' || record?.status === 'calling'
    ? { kind: 'resume', step, status: record.status }
    : undefined
