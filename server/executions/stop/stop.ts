import { cancelRequest } from '#server/approvals/cancel-request.ts'
import { executionQueue } from '#server/executions/execution-queue.ts'
import { releasedTool } from '#server/executions/runtimes/external.ts'
import { nextOf } from '#server/executions/runtimes/next-turn.ts'
import { openTask } from '#server/executions/runtimes/open-task.ts'
import type { JournalEntry } from '#server/executions/state/journal.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import { isToolStep } from '#server/executions/state/next-step.ts'
import { setStep } from '#server/executions/state/store.ts'
import { type Ending, endExecution } from '#server/executions/steps/end.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { endSpan } from '#server/traces/recording/record.ts'

const stopQueue = 'execution-stops'
/** The queue whose jobs end the tasks of stopped executions at their agents (runtimes/stop-task.ts). */
export const taskCancelQueue = 'task-cancels'

/** How long after the request whoever is there decides what is known. With the queue's polling that is within five seconds. */
const decideAfterSeconds = 2.5

/**
 * Tells the worker that has the execution, wherever it runs, and the agent that has its task; and asks for a verdict in case
 * there is neither any more.
 */
export async function tellStop(
  tx: Transaction,
  tenantId: string,
  { id, isA2a }: { id: string; isA2a: boolean },
): Promise<void> {
  const { queue } = runtime()
  await notify(tx, 'stop', id)
  await queue.enqueue(tx, executionQueue, { tenantId, id })
  if (isA2a) await cancelTask(tx, tenantId, id)
  await queue.enqueue(tx, stopQueue, { tenantId, id }, { seconds: decideAfterSeconds })
}

/** Has the task of a stopped execution ended at its agent; nothing when the agent has none. */
export const cancelTask = (tx: Transaction, tenantId: string, id: string): Promise<void> =>
  runtime().queue.enqueue(tx, taskCancelQueue, { tenantId, id })

/** Ends what nobody has ended since its stop was asked for: its worker is dead, frozen, or its tool does not listen. */
export const stopVerdicts: JobHandler = {
  queue: stopQueue,
  concurrency: 2,
  run: ({ tenantId, id }) =>
    runtime().database.inTenant(tenantId, async (tx) => {
      const loaded = await loadExecution(tx, tenantId, id)
      if (loaded === undefined || loaded.row.endedAt !== null || loaded.row.stopRequestedAt === null) return
      await endStopped(tx, loaded)
    }),
}

/** What an external agent said of the task that it was asked to end. */
export type TaskEnd = { ended: boolean; entries: readonly JournalEntry[] }

/**
 * Ends an execution that must not go on. What was not under way outside has stopped for certain; a call that may have an
 * effect and whose answer nobody has makes it indeterminate, and so does a task that its agent did not say to have ended.
 */
export async function endStopped(tx: Transaction, loaded: Loaded, task?: TaskEnd): Promise<void> {
  const { tenant, row, steps } = loaded
  const calling = steps.find((step) => step.status === 'calling')
  const isUnknown = task === undefined ? mayHaveRun(loaded) : !task.ended
  for (const { status, approvalId } of steps)
    if (status === 'waiting_approval' && approvalId !== null) await withdraw(approvalId)
  if (calling !== undefined) {
    await setStep(tx, tenant.id, row.id, calling.stepId, { status: 'failed', ended: true })
    await endSpan(tx, tenant.id, {
      traceId: row.traceId,
      spanId: calling.spanId ?? '',
      status: 'error',
      statusMessage: isUnknown ? 'It was stopped; the outcome of this call is unknown.' : 'It was stopped.',
      attributes: [],
      endedAt: new Date(),
    })
  }
  await endExecution(tx, loaded, isUnknown ? unknown(loaded) : stopped(loaded), task?.entries)

  async function withdraw(approvalId: string): Promise<void> {
    const auditId = newId()
    if (!(await cancelRequest(tx, tenant, approvalId, auditId))) return
    await appendAudit(tx, tenant, {
      auditId,
      actor: { type: 'agent', id: row.agentId, name: row.agentName },
      action: 'approval.canceled',
      resource: { type: 'approval', id: approvalId },
      details: { executionId: row.id },
    })
  }
}

/** Only a tool or model that changes nothing leaves no doubt; a task that an agent still has leaves one. */
function mayHaveRun(loaded: Loaded): boolean {
  if (openTask(loaded) !== undefined) return true
  const next = nextOf(loaded)
  if (next.kind !== 'resume' || next.status !== 'calling') return false
  const tool = isToolStep(next.step) ? releasedTool(loaded.content, next.step.tool) : undefined
  return tool?.sideEffect !== 'read' && tool?.sideEffect !== 'none'
}

const unknown = (loaded: Loaded): Ending => ({
  status: 'indeterminate',
  error: {
    code: 'outcome_unknown',
    message:
      openTask(loaded) === undefined
        ? 'It was stopped during a call. Nobody knows whether the call had its effect.'
        : 'It was stopped, and its agent did not say that it ended the task.',
  },
})

const stopped = ({ row }: Loaded): Ending => ({
  status: 'canceled',
  error:
    row.agentStatus === 'suspended' || row.agentStatus === 'retired'
      ? { code: 'agent_suspended', message: `The agent is ${row.agentStatus}.` }
      : { code: 'canceled', message: row.stopReason ?? 'It was canceled.' },
})
