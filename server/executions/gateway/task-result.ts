import type { CallToolResult, Result } from '@modelcontextprotocol/server'
import type { JsonObject } from '#lib/json.ts'
import { gatewayStep, gatewayStepId } from '#server/executions/runtimes/next-gateway.ts'
import { loadExecution } from '#server/executions/state/load.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { resultOf } from './answer.ts'
import { setAnswered } from './gateway-store.ts'
import { callKey } from './start-call.ts'
import type { TaskRow } from './task-store.ts'
import { canceledResult, extensionTaskOf } from './task-view.ts'

/**
 * The result of a task that has ended. From then on, the same call is a new one, unless the client is gone (`signal`): it did
 * not take it.
 */
export async function takeResult(
  tenant: Tenant,
  { id, executionId, endedAt }: TaskRow,
  signal: AbortSignal,
): Promise<CallToolResult> {
  if (endedAt === null) return canceledResult(id)
  return await runtime().database.inTenant(tenant.id, async (tx) => {
    const loaded = await loadExecution(tx, tenant.id, executionId)
    if (loaded === undefined) throw new Error(`Execution ${executionId} does not exist.`)
    const { row, input, steps } = loaded
    // Erased content names no call: nothing can repeat it.
    if (!signal.aborted && Object.keys(input).length > 0)
      await setAnswered(tx, tenant.id, executionId, keyOf(row, input))
    const approvalId = steps.find(({ stepId }) => stepId === gatewayStepId)?.approvalId ?? null
    return resultOf(tenant, { ...row, approvalId }, executionId)
  })
}

/** The key of the call that an execution was started for. */
export function keyOf({ agentId, environment }: { agentId: string; environment: string }, input: JsonObject): string {
  const { server, name: tool } = gatewayStep(input).tool
  return callKey({ agentId, environment, server, tool, arguments: input.arguments })
}

/** The state of a task for the extension of 2026-07-28, with its result once it has one. */
export async function detailedTask(tenant: Tenant, row: TaskRow, signal: AbortSignal): Promise<Result> {
  const task = extensionTaskOf(tenant, row)
  if (task.status !== 'completed') return task
  return { ...task, result: { ...(await takeResult(tenant, row, signal)), resultType: 'complete' } }
}
