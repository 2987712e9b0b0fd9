import { type Message, type Part, type Task, TaskState } from '@a2a-js/sdk'
import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { failedCall, toolResult } from '#server/agents/tool-result.ts'
import type { CallResult } from './budget.ts'

// Maps the task of an external agent to the outcome of a step. The step's output has this form, `working` during the call.

export const TaskOutput = z.looseObject({
  state: z.enum(['working', 'input_required', 'completed']),
  taskId: z.string(),
  contextId: z.string(),
})
export type TaskOutput = z.infer<typeof TaskOutput>

/** The agent is still working on the task. */
export type OpenTask = { openTask: { taskId: string; contextId: string } }
/** The agent no longer knows the task, so its outcome is unknown. */
export type LostTask = { lostTask: string }

/** The task that a step has started, or undefined when no message is known to have been sent. */
export function taskOf(
  steps: readonly { stepId: string; output: unknown }[],
  stepId: string,
): { taskId: string; contextId: string } | undefined {
  const known = TaskOutput.safeParse(steps.find((step) => step.stepId === stepId)?.output)
  return known.success ? { taskId: known.data.taskId, contextId: known.data.contextId } : undefined
}

export function outcomeOf(task: Task): CallResult | OpenTask {
  const { id: taskId, contextId, status } = task
  const said = textOf(status?.message?.parts ?? [])
  switch (status?.state) {
    case TaskState.TASK_STATE_COMPLETED: {
      const parts = task.artifacts.flatMap((artifact) => artifact.parts)
      return answer('completed', { taskId, contextId }, parts.length > 0 ? parts : (status.message?.parts ?? []))
    }
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return answer('input_required', { taskId, contextId }, status.message?.parts ?? [])
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return failedCall(`The agent requires a sign-in, which an execution cannot provide. ${said}`.trim())
    case TaskState.TASK_STATE_FAILED:
      return failedCall(`The agent’s task failed. ${said}`.trim())
    case TaskState.TASK_STATE_CANCELED:
      return failedCall(`The agent’s task was canceled. ${said}`.trim())
    case TaskState.TASK_STATE_REJECTED:
      return failedCall(`The agent rejected the task. ${said}`.trim())
    default:
      return { openTask: { taskId, contextId } }
  }
}

/** An agent may also answer immediately, without a task. */
export const messageOutcome = ({ contextId, parts }: Message): CallResult =>
  answer('completed', { taskId: '', contextId }, parts)

function answer(
  state: 'input_required' | 'completed',
  task: { taskId: string; contextId: string },
  parts: readonly Part[],
): CallResult {
  const text = textOf(parts)
  const output: JsonObject = { state, ...task, text, data: parts.flatMap(dataOf) }
  return toolResult({ content: [{ type: 'text', text }], structuredContent: output })
}

const textOf = (parts: readonly Part[]): string =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n')

/** Structured parts are passed on unchanged; files are listed by name and not fetched. */
function dataOf({ content, filename, mediaType }: Part): JsonValue[] {
  switch (content?.$case) {
    case 'data':
      return [content.value as JsonValue]
    case 'url':
      return [{ file: content.value, filename, mediaType }]
    case 'raw':
      return [{ bytes: content.value.byteLength, filename, mediaType }]
    default:
      return []
  }
}

/** A string, or an object with only `text`, is sent as text; anything else as data. */
export function partOf(value: JsonValue): Part {
  const text =
    typeof value === 'string'
      ? value
      : isJsonObject(value) && typeof value.text === 'string' && Object.keys(value).length === 1
        ? value.text
        : undefined
  return {
    content: text === undefined ? { $case: 'data', value } : { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: text === undefined ? 'application/json' : 'text/plain',
  }
}
