import type { Loaded } from '#server/executions/state/load.ts'
import { TaskOutput } from './a2a-task.ts'
import { callId } from './next-a2a.ts'

/** An open task of an external agent. `stepId`: the last call concerning it. */
export type AgentTask = { stepId: string; taskId: string }

/**
 * The open task of an a2a runtime's agent according to the journal: the agent works on it or waits for an answer. Also after
 * the execution ended without the agent confirming the end of its task.
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
