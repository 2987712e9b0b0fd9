import { type Message, type Part, type Task, TaskState } from '@a2a-js/sdk'
import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { failedCall, toolResult } from '#server/agents/tool-result.ts'
import type { CallResult } from './budget.ts'

// What a task of an external agent means to an execution. A step's output is one of these; `working` while it is called.

export const TaskOutput = z.looseObject({
  state: z.enum(['working', 'input_required', 'completed']),
  taskId: z.string(),
  contextId: z.string(),
})
export type TaskOutput = z.infer<typeof TaskOutput>

/** The agent goes on with the task by itself. */
export type OpenTask = { openTask: { taskId: string; contextId: string } }
/** The agent does not know the task any more: nobody knows what became of it. */
export type LostTask = { lostTask: string }

/** The task that a step has begun, or undefined: nothing is known to have been sent. */
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
      return failedCall(`The agent asks for a sign-in, which nobody here can give. ${said}`.trim())
    case TaskState.TASK_STATE_FAILED:
      return failedCall(`The agent’s task failed. ${said}`.trim())
    case TaskState.TASK_STATE_CANCELED:
      return failedCall(`The agent’s task was canceled. ${said}`.trim())
    case TaskState.TASK_STATE_REJECTED:
      return failedCall(`The agent refused the task. ${said}`.trim())
    default:
      return { openTask: { taskId, contextId } }
  }
}

/** An agent may also answer at once, without any task. */
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

/** Structured parts as they are; files are named, and not fetched. */
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

/** A text, or an object with nothing but a `text`, is said as text; anything else is data. */
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
