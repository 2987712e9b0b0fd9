import { setTimeout as delay } from 'node:timers/promises'
import { type Task, TaskState } from '@a2a-js/sdk'
import { A2AError, TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import type { Loaded } from '#server/executions/state/load.ts'
import { withA2aAgent } from './a2a-client.ts'
import { outcomeOf } from './a2a-task.ts'
import type { CallResult } from './budget.ts'

/** The agent's time to respond, short enough that its answer arrives before the verdict on the stop. */
const answerMs = 2000
const pollMs = 200

/** An agent's answer to a request to cancel a task: canceled, already ended with a result, or still open. */
export type CancelAnswer = 'canceled' | 'open' | CallResult

/** Asks the agent to cancel a task, or for its outcome. Throws when the agent does not respond. */
export async function cancelAtAgent(loaded: Loaded, taskId: string): Promise<CancelAnswer> {
  try {
    return await withA2aAgent(loaded, { idleMs: answerMs }, async (client, route) => {
      const signal = AbortSignal.timeout(answerMs)
      const read = () => client.getTask({ tenant: route, id: taskId, historyLength: 0 }, { signal })
      let willing = true
      let task = await client
        .cancelTask({ tenant: route, id: taskId, metadata: undefined }, { signal })
        .catch((error: unknown) => {
          // The task has already ended, or the agent can't cancel tasks.
          if (!(error instanceof TaskNotCancelableError || error instanceof UnsupportedOperationError)) throw error
          willing = false
          return read()
        })
      const until = Date.now() + answerMs / 2
      for (;;) {
        const said = endOf(task)
        if (said !== undefined) return said
        if (!willing || Date.now() > until) return 'open'
        await delay(pollMs)
        task = await read()
      }
    })
  } catch (error) {
    // The agent responded without ending the task: it no longer knows the task, or refuses.
    if (error instanceof A2AError) return 'open'
    throw error
  }
}

/** Undefined while the task has not ended. */
function endOf(task: Task): CancelAnswer | undefined {
  switch (task.status?.state) {
    case TaskState.TASK_STATE_CANCELED:
      return 'canceled'
    case TaskState.TASK_STATE_COMPLETED:
    case TaskState.TASK_STATE_FAILED:
    case TaskState.TASK_STATE_REJECTED: {
      const outcome = outcomeOf(task)
      return 'openTask' in outcome ? undefined : outcome
    }
    default:
      return undefined
  }
}
