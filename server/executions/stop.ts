import { cancelRequest } from '#server/approvals/cancel-request.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type Ending, endExecution } from './end.ts'
import { executionQueue } from './execution-queue.ts'
import { type Loaded, loadExecution } from './load.ts'
import { isToolStep } from './next-step.ts'
import { setStep } from './store.ts'

const stopQueue = 'execution-stops'

/** How long after the request whoever is there decides what is known. With the queue's polling that is within five seconds. */
const decideAfterMs = 2500

/** Tells the worker that has the execution, wherever it runs, and asks for a verdict in case there is none any more. */
export async function tellStop(tx: Transaction, tenantId: string, id: string): Promise<void> {
  const { queue } = runtime()
  await notify(tx, 'stop', id)
  await queue.enqueue(tx, executionQueue, { tenantId, id })
  await queue.enqueue(tx, stopQueue, { tenantId, id }, new Date(Date.now() + decideAfterMs))
}

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

/**
 * Ends an execution that must not go on. What was not under way outside has stopped for certain; a call that may have an
 * effect and whose answer nobody has makes it indeterminate.
 */
export async function endStopped(tx: Transaction, loaded: Loaded): Promise<void> {
  const { tenant, row, steps } = loaded
  const calling = steps.find((step) => step.status === 'calling')
  for (const { status, approvalId } of steps)
    if (status === 'waiting_approval' && approvalId !== null) await withdraw(approvalId)
  if (calling !== undefined) await setStep(tx, tenant.id, row.id, calling.stepId, { status: 'failed', ended: true })
  await endExecution(tx, loaded, mayHaveRun() ? unknown : stopped(loaded))

  /** Only a tool that changes nothing leaves no doubt. */
  function mayHaveRun(): boolean {
    if (calling === undefined) return false
    const step = loaded.content.spec.runtime.steps?.find(({ id }) => id === calling.stepId)
    if (step === undefined || !isToolStep(step)) return true
    const tool = loaded.content.tools.find(
      (candidate) => candidate.server === step.tool.server && candidate.name === step.tool.name,
    )
    return tool?.sideEffect !== 'read' && tool?.sideEffect !== 'none'
  }

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

const unknown: Ending = {
  status: 'indeterminate',
  error: { code: 'outcome_unknown', message: 'It was stopped during a tool call. Nobody knows whether the tool ran.' },
}

const stopped = ({ row }: Loaded): Ending => ({
  status: 'canceled',
  error:
    row.agentStatus === 'suspended' || row.agentStatus === 'retired'
      ? { code: 'agent_suspended', message: `The agent is ${row.agentStatus}.` }
      : { code: 'canceled', message: row.stopReason ?? 'It was canceled.' },
})
