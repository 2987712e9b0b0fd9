import type { Loaded } from '#server/executions/state/load.ts'
import { TaskOutput } from './a2a-task.ts'
import { callId } from './next-a2a.ts'

/** A task that an external agent still has. `stepId`: the last call that was about it. */
export type AgentTask = { stepId: string; taskId: string }

/**
 * The task that the agent of an a2a runtime still has, as far as it was written down: it works on it, or waits for an
 * answer. Also after the execution was ended without its word.
 */
export function openTask({ content, steps }: Pick<Loaded, 'content' | 'steps'>): AgentTask | undefined {
  if (content.spec.runtime.a2a === undefined) return undefined
  let open: AgentTask | undefined
  for (let round = 1; ; round += 1) {
    const stepId = callId(round)
    const record = steps.find((step) => step.stepId === stepId)
    if (record === undefined) return open
    const known = TaskOutput.safeParse(record.output)
    if (known.success) {
      const { state, taskId } = known.data
      open = state === 'completed' || taskId === '' ? undefined : { stepId, taskId }
    } else if (record.output !== null) open = undefined
    else if (open !== undefined) open = { ...open, stepId }
  }
}
