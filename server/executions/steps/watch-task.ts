import type { JsonObject } from '#lib/json.ts'
import type { Step } from '#lib/schemas/manifest.ts'
import { type LostTask, type OpenTask, taskOf } from '#server/executions/runtimes/a2a-task.ts'
import { releasedTool } from '#server/executions/runtimes/external.ts'
import { journal } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { isToolStep, type ToolStep } from '#server/executions/state/next-step.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { setStep } from '#server/executions/state/store.ts'
import { cancelTask } from '#server/executions/stop/stop.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { executionQueue } from '../execution-queue.ts'
import { endExecution } from './end.ts'

const shortestSeconds = 1
const longestSeconds = 30

/**
 * Leaves a task to its agent. The task's id is stored before anything else, so that the message is never sent twice, and no
 * worker is occupied until the next poll.
 */
export async function leaveTask(
  tx: Transaction,
  { tenant, row, steps }: Loaded,
  call: StartedCall,
  { openTask }: OpenTask,
): Promise<void> {
  if (row.endedAt !== null) return
  const stopping = row.stopRequestedAt !== null
  if (taskOf(steps, call.step.id) === undefined) {
    // An execution that is being stopped has another revision, and needs the task's id in order to cancel the task.
    const revision = stopping ? row.revision : call.revision
    const execution = { tenantId: tenant.id, id: row.id, revision }
    await setStep(tx, tenant.id, row.id, call.step.id, { status: 'calling', output: { state: 'working', ...openTask } })
    await journal(tx, execution, {}, [{ type: 'agent.working', stepId: call.step.id, data: openTask }])
  }
  if (stopping) return await cancelTask(tx, tenant.id, row.id)
  const begun = steps.find((step) => step.stepId === call.step.id)?.startedAt ?? row.now
  const ageSeconds = (row.now.getTime() - begun.getTime()) / 1000
  const seconds = Math.min(longestSeconds, Math.max(shortestSeconds, ageSeconds / 10))
  await runtime().queue.enqueue(tx, executionQueue, { tenantId: tenant.id, id: row.id }, { seconds })
}

/** Ends an execution as indeterminate because its agent no longer knows the task; nothing is sent again. */
export async function loseTask(
  tx: Transaction,
  loaded: Loaded,
  call: StartedCall,
  { lostTask }: LostTask,
): Promise<void> {
  if (loaded.row.endedAt !== null) return
  await endUnknown(tx, loaded, call.step, lostTask)
}

/** The call that polls the task of a step; undefined when the time has run out and the execution was ended. */
export async function watchTask(tx: Transaction, loaded: Loaded, step: ToolStep): Promise<StartedCall | undefined> {
  const { row } = loaded
  const call = startedCall(loaded, step)
  if (call === undefined) throw new Error(`The step ${step.id} does not have a task.`)
  if (row.deadlineAt !== null && row.deadlineAt < row.now) {
    await endUnknown(
      tx,
      loaded,
      step,
      'The execution exceeded the time limit in its manifest while the agent was still working on the task.',
    )
    return undefined
  }
  return call
}

/** A step's started call, rebuilt from the journal; undefined for a step that has not started one. */
export function startedCall({ row, content, steps }: Loaded, step: Step): StartedCall | undefined {
  const record = steps.find((candidate) => candidate.stepId === step.id)
  if (record === undefined || !isToolStep(step)) return undefined
  const tool = releasedTool(content, step.tool)
  if (tool === undefined) return undefined
  const { attempts: attempt, spanId, decisionId } = record
  return {
    step,
    tool,
    arguments: record.arguments as JsonObject,
    spanId: spanId ?? '',
    attempt,
    revision: row.revision,
    decisionId,
  }
}

async function endUnknown(tx: Transaction, loaded: Loaded, step: { id: string }, message: string): Promise<void> {
  const { tenant, row } = loaded
  await setStep(tx, tenant.id, row.id, step.id, { status: 'failed', ended: true })
  await endExecution(tx, loaded, { status: 'indeterminate', error: { code: 'outcome_unknown', message } }, [
    { type: 'agent.outcome_unknown', stepId: step.id },
  ])
}
