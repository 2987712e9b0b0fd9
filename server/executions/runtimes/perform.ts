import { toolServerOf } from '#server/agents/tool-server.ts'
import { abandonCall, callTool } from '#server/agents/tool-servers.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { LostTask, OpenTask } from './a2a-task.ts'
import { type CallResult, releaseReserved } from './budget.ts'
import { callA2aAgent } from './call-a2a.ts'
import { callHttpAgent } from './call-http.ts'
import { callModel, NotServed } from './call-model.ts'
import { callKind } from './external.ts'

const longestCallMs = 600_000

/**
 * Makes one started call. Throws without an answer; the journal then determines whether the call is retried. `signal` aborts
 * the call.
 */
export async function perform(
  loaded: Loaded,
  call: StartedCall,
  signal: AbortSignal,
): Promise<CallResult | OpenTask | LostTask> {
  const { tenant, row, content } = loaded
  const left = (row.deadlineAt?.getTime() ?? Number.MAX_SAFE_INTEGER) - row.now.getTime()
  const timeoutMs = Math.min(longestCallMs, Math.max(1000, left))
  const idempotencyKey = `${row.id}:${call.step.id}`
  switch (callKind(call.tool)) {
    case 'tool':
      return await callTool(tenant, {
        server: toolServerOf(content.spec, call.tool.server),
        released: call.tool,
        arguments: call.arguments,
        idempotencyKey,
        timeoutMs,
        signal,
      })
    case 'agent':
      if (content.spec.runtime.a2a !== undefined) return await callA2aAgent(loaded, call, { idempotencyKey, signal })
      return await callHttpAgent(loaded, { idempotencyKey, timeoutMs, signal })
    case 'model':
      try {
        return await callModel(loaded, {
          stepId: call.step.id,
          spanId: call.spanId,
          model: call.tool.name,
          timeoutMs,
          signal,
        })
      } catch (error) {
        if (error instanceof NotServed)
          await runtime().database.inTenant(tenant.id, (tx) =>
            releaseReserved(tx, loaded, { stepId: call.step.id, attempt: call.attempt, decisionId: call.decisionId }),
          )
        throw error
      }
  }
}

/** Ends the processes that Countersign itself runs for a call, after the call was abandoned. */
export async function abandon({ tenant, content }: Loaded, { tool }: StartedCall): Promise<void> {
  if (callKind(tool) === 'tool') await abandonCall(tenant, toolServerOf(content.spec, tool.server))
}
