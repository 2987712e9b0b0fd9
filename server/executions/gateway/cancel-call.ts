import { ApiError, notFound } from '#lib/errors.ts'
import { GatewayCancelInput, GatewayCancelOutput } from '#lib/schemas/gateway.ts'
import { loadExecution } from '#server/executions/state/load.ts'
import { requestStop } from '#server/executions/stop/request-stop.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setAnswered } from './gateway-store.ts'
import { requireReach } from './require-reach.ts'
import { keyOf } from './task-result.ts'
import { findTask, lockExecution, setTaskCanceled } from './task-store.ts'
import { isOver } from './task-view.ts'

/**
 * Cancels a task of the caller and stops its call: the request for an approval is withdrawn, and a call in progress is aborted.
 * The same call is a new one from then on.
 */
export const cancelCall = mutation({
  permission: 'execution:start',
  connectionTokens: 'gateway',
  input: GatewayCancelInput,
  output: GatewayCancelOutput,
  audit: (input, output) => ({
    action: 'execution.stop_requested',
    resource:
      output === undefined ? { type: 'agent', id: input.agentId } : { type: 'execution', id: output.executionId },
    reason: canceled,
    details: { taskId: input.taskId, via: 'mcp' },
  }),
  async run({ tx, tenant, principal, input }) {
    const { agentId, environment, server } = input
    const owner = {
      tenantId: tenant.id,
      memberId: principal.memberId,
      clientId: principal.clientId ?? null,
      agentId,
      environment,
      server,
    }
    const known = await findTask(tx, owner, input.taskId)
    if (known === undefined) throw notFound()
    await lockExecution(tx, tenant.id, known.executionId)
    const [task, loaded] = await Promise.all([
      findTask(tx, owner, input.taskId),
      loadExecution(tx, tenant.id, known.executionId),
    ])
    if (task === undefined || loaded === undefined) throw notFound()
    requireReach(principal, loaded.row.agentName)
    if (isOver(task)) throw new ApiError('conflict', 'The task has already ended.')
    if (loaded.row.stopRequestedAt === null) await requestStop(tx, loaded, canceled)
    await setTaskCanceled(tx, tenant.id, task.id)
    await setAnswered(tx, tenant.id, task.executionId, keyOf(loaded.row, loaded.input))
    return { executionId: task.executionId }
  },
})

const canceled = 'The client canceled its task.'
