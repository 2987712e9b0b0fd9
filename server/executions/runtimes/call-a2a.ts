import { Role } from '@a2a-js/sdk'
import { A2AError, TaskNotFoundError } from '@a2a-js/sdk/errors'
import { failedCall } from '#server/agents/tool-result.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { AddressRefused, NotReached } from '#server/kernel/net/outbound.ts'
import { SecretRefused } from '#server/secrets/use-value.ts'
import { withA2aAgent } from './a2a-client.ts'
import { type LostTask, messageOutcome, type OpenTask, outcomeOf, partOf, taskOf } from './a2a-task.ts'
import type { CallResult } from './budget.ts'

/** For one request; the agent continues a task without a connection. */
const requestMs = 60_000

/**
 * Sends the step's message to the agent or, once the agent has created a task for it, polls the task. Throws without a complete
 * response; the message is then never sent again, whereas a poll is repeated.
 */
export async function callA2aAgent(
  loaded: Loaded,
  call: StartedCall,
  { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal },
): Promise<CallResult | OpenTask | LostTask> {
  const known = taskOf(loaded.steps, call.step.id)
  const aborted = AbortSignal.any([signal, AbortSignal.timeout(requestMs)])
  const wire: { status: number | undefined } = { status: undefined }
  try {
    return await withA2aAgent(loaded, { idleMs: requestMs, wire }, async (client, route) => {
      if (known !== undefined)
        return outcomeOf(
          await client.getTask({ tenant: route, id: known.taskId, historyLength: 0 }, { signal: aborted }),
        )
      const { taskId, contextId, reply } = call.step.id === 'call' ? {} : call.arguments
      const sent = await client.sendMessage(
        {
          tenant: route,
          message: {
            messageId: idempotencyKey,
            taskId: typeof taskId === 'string' ? taskId : '',
            contextId: typeof contextId === 'string' ? contextId : '',
            role: Role.ROLE_USER,
            parts: [partOf(reply ?? call.arguments)],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          },
          configuration: {
            acceptedOutputModes: [],
            taskPushNotificationConfig: undefined,
            historyLength: 0,
            returnImmediately: true,
          },
          metadata: undefined,
        },
        { signal: aborted },
      )
      return 'parts' in sent ? messageOutcome(sent) : outcomeOf(sent)
    })
  } catch (error) {
    if (known !== undefined) {
      if (error instanceof TaskNotFoundError) return { lostTask: 'The agent no longer knows the task.' }
      throw error
    }
    // Nothing was sent.
    if (error instanceof AddressRefused || error instanceof NotReached || error instanceof SecretRefused)
      return failedCall(error.message)
    if (error instanceof A2AError) return failedCall(`The agent rejected the message: ${error.message}`)
    if (wire.status !== undefined && wire.status >= 300)
      return failedCall(`The agent returned the status ${wire.status}.`)
    throw error
  }
}
