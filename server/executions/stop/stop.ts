import { executionQueue } from '#server/executions/execution-queue.ts'
import { releasedTool } from '#server/executions/runtimes/external.ts'
import { nextOf } from '#server/executions/runtimes/next-turn.ts'
import { openTask } from '#server/executions/runtimes/open-task.ts'
import type { JournalEntry } from '#server/executions/state/journal.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import { isToolStep } from '#server/executions/state/next-step.ts'
import { setStep } from '#server/executions/state/store.ts'
import { type Ending, endExecution } from '#server/executions/steps/end.ts'
import { withdrawRequests } from '#server/executions/steps/withdraw-requests.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'

const stopQueue = 'execution-stops'
/** The queue whose jobs cancel the tasks of stopped executions at their agents (stop-task.ts). */
export const taskCancelQueue = 'task-cancels'

/** Delay from the request to the verdict on what is known. Together with the queue's polling it is below five seconds. */
const decideAfterSeconds = 2.5

/**
 * Notifies the execution's worker on whichever node, and the agent that has its task, and schedules a verdict in case neither
 * responds.
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

/** Schedules canceling the task of a stopped execution at its agent. Does nothing without an open task. */
export const cancelTask = (tx: Transaction, tenantId: string, id: string): Promise<void> =>
  runtime().queue.enqueue(tx, taskCancelQueue, { tenantId, id })

/** Ends executions still running after their stop was requested, because the worker died or froze or the tool did not respond. */
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

/** An external agent's answer to the request to cancel its task. */
export type TaskEnd = { ended: boolean; entries: readonly JournalEntry[] }

/**
 * Ends an execution that must not continue. The stop is confirmed when nothing was in progress outside. An unanswered call that
 * may have side effects, or a task whose end the agent did not confirm, makes the execution indeterminate.
 */
export async function endStopped(tx: Transaction, loaded: Loaded, task?: TaskEnd): Promise<void> {
  const { tenant, row, steps } = loaded
  const calling = steps.find((step) => step.status === 'calling')
  const isUnknown = task === undefined ? mayHaveRun(loaded) : !task.ended
  await withdrawRequests(tx, loaded)
  if (calling !== undefined) await setStep(tx, tenant.id, row.id, calling.stepId, { status: 'failed', ended: true })
  await endExecution(tx, loaded, isUnknown ? unknown(loaded) : stopped(loaded), task?.entries)
}

/** Whether the current call may have had side effects: not with a read-only tool or a model, but with an open task of an agent. */
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
        ? 'The execution was stopped during a call. It is unknown whether the call took effect.'
        : 'The execution was stopped, but its agent did not confirm that it ended the task.',
  },
})

const stopped = ({ row }: Loaded): Ending => ({
  status: 'canceled',
  error:
    row.agentStatus === 'suspended' || row.agentStatus === 'retired'
      ? { code: 'agent_suspended', message: `The agent is ${row.agentStatus}.` }
      : { code: 'canceled', message: row.stopReason ?? 'The execution was canceled.' },
})
