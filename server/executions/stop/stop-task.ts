import { type CancelAnswer, cancelAtAgent } from '#server/executions/runtimes/cancel-task.ts'
import { nextOf } from '#server/executions/runtimes/next-turn.ts'
import { type AgentTask, openTask } from '#server/executions/runtimes/open-task.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import { finishCall } from '#server/executions/steps/finish-call.ts'
import { startedCall } from '#server/executions/steps/watch-task.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { endStopped, taskCancelQueue } from './stop.ts'

/** About ten minutes: an agent that was unavailable is still notified after its execution ended as indeterminate. */
const maxRetries = 15

/**
 * Cancels the task of a stopped execution at its agent, and ends the execution according to the agent's answer. An agent that
 * does not respond is asked again after the verdict; its late answer is recorded in the audit log.
 */
export const taskCancels: JobHandler = {
  queue: taskCancelQueue,
  concurrency: 4,
  async run({ tenantId, id }, retries) {
    const { database } = runtime()
    const loaded = await database.inTenant(tenantId, (tx) => loadExecution(tx, tenantId, id))
    const task = loaded && openTask(loaded)
    if (loaded === undefined || task === undefined || loaded.row.stopRequestedAt === null) return
    const said = await cancelAtAgent(loaded, task.taskId).catch((error: unknown) => {
      if (retries < maxRetries) throw error
      return 'open' as const
    })
    await database.inTenant(tenantId, async (tx) => {
      const now = await loadExecution(tx, tenantId, id)
      if (now === undefined) return
      if (now.row.endedAt === null) await endByAnswer(tx, now, task, said)
      else await recordLate(tx, now, task, said)
    })
  },
}

const entryOf = ({ stepId, taskId }: AgentTask, said: 'canceled' | 'open') => ({
  type: said === 'canceled' ? 'agent.canceled' : 'agent.cancel_unconfirmed',
  stepId,
  data: { taskId },
})

async function endByAnswer(tx: Transaction, loaded: Loaded, task: AgentTask, said: CancelAnswer): Promise<void> {
  if (said === 'canceled' || said === 'open')
    return await endStopped(tx, loaded, { ended: said === 'canceled', entries: [entryOf(task, said)] })
  const next = nextOf(loaded)
  // A completed task's answer counts, as does that of any call that finishes during a stop.
  if (next.kind === 'resume' && next.status === 'calling') {
    const call = startedCall(loaded, next.step)
    if (call !== undefined) await finishCall(tx, loaded, call, said)
  }
  const after = await loadExecution(tx, loaded.tenant.id, loaded.row.id)
  if (after !== undefined && after.row.endedAt === null) await endStopped(tx, after, { ended: true, entries: [] })
}

async function recordLate(
  tx: Transaction,
  { tenant, row }: Loaded,
  { stepId, taskId }: AgentTask,
  said: CancelAnswer,
): Promise<void> {
  const action =
    said === 'canceled' ? 'canceled' : said === 'open' ? 'cancel_unconfirmed' : said.ok ? 'returned' : 'failed'
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: `agent.${action}_late`,
    resource: { type: 'execution', id: row.id },
    details: { step: stepId, taskId },
  })
}
