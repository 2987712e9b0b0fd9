import type { JsonObject } from '#lib/json.ts'
import { waitsForChanges } from '#server/approvals/revisions/supersede.ts'
import { taskOf } from '#server/executions/runtimes/a2a-task.ts'
import { keepReserved, reserveNext } from '#server/executions/runtimes/budget.ts'
import { callKind, releasedTool } from '#server/executions/runtimes/external.ts'
import { journal } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { isToolStep, type NextStep, type ToolStep } from '#server/executions/state/next-step.ts'
import { spanIdOf, toolSpanId } from '#server/executions/state/spans.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { findStepApproval, setStep } from '#server/executions/state/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { approvalTokens } from '#server/policies/decisions/decide.ts'
import { endSpan } from '#server/traces/recording/record.ts'
import { beginCall } from './begin-call.ts'
import { auditCall, startToolSpan } from './call-records.ts'
import { endExecution } from './end.ts'
import { maxAttempts, mayRepeat, reasonKept } from './unanswered.ts'
import { watchTask } from './watch-task.ts'

/** An approval is canceled here only when a reviewer requested changes: one that is withdrawn ends with its execution. */
const endings = {
  expired: {
    status: 'expired',
    error: { code: 'approval_expired', message: 'The request expired before anyone decided it.' },
  },
  rejected: { status: 'rejected', error: { code: 'approval_rejected', message: 'A reviewer rejected the call.' } },
  canceled: {
    status: 'rejected',
    error: {
      code: 'changes_requested',
      message: 'A reviewer requested changes to the call, and none were proposed in time.',
    },
  },
} as const

type StepRecord = Loaded['steps'][number]

/** Continues a step interrupted by a wait or a crash. Undefined when there is nothing to call now. */
export async function resumeStep(
  tx: Transaction,
  loaded: Loaded,
  next: Extract<NextStep, { kind: 'resume' }>,
): Promise<StartedCall | undefined> {
  const { step, status } = next
  const record = loaded.steps.find((candidate) => candidate.stepId === step.id)
  if (record === undefined || !isToolStep(step))
    throw new Error(`Step ${step.id} of execution ${loaded.row.id} was never started.`)
  if (status === 'waiting_approval') return await afterApproval(tx, loaded, step, record)
  if (callKind(step.tool) === 'agent' && taskOf(loaded.steps, step.id) !== undefined)
    return await watchTask(tx, loaded, step)
  return await afterCrash(tx, loaded, step, record)
}

async function afterApproval(
  tx: Transaction,
  loaded: Loaded,
  step: ToolStep,
  record: StepRecord,
): Promise<StartedCall | undefined> {
  const { tenant, row, content } = loaded
  const { approvalId, decisionId } = record
  if (approvalId === null || decisionId === null)
    throw new Error(`Step ${step.id} of execution ${row.id} does not wait for an approval.`)
  const approval = await findStepApproval(tx, tenant.id, approvalId)
  if (approval.status === 'pending') return undefined
  if (approval.status === 'canceled' && (await waitsForChanges(tx, tenant.id, approvalId))) return undefined
  const decidedAt = approval.decidedAt ?? row.now
  await endSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId: spanIdOf(row.traceId, approvalId),
    status: approval.status === 'approved' ? 'ok' : 'error',
    attributes: [{ key: 'countersign.approval.status', value: approval.status }],
    endedAt: decidedAt,
  })
  if (approval.status !== 'approved') {
    const { status, error } =
      endings[approval.status === 'expired' ? 'expired' : approval.status === 'canceled' ? 'canceled' : 'rejected']
    await endExecution(tx, loaded, { status, error }, [
      { type: 'approval.decided', stepId: step.id, data: { approvalId, status: approval.status } },
    ])
    return undefined
  }
  const revision = await journal(tx, { tenantId: tenant.id, id: row.id, revision: row.revision }, {}, [
    { type: 'approval.decided', stepId: step.id, data: { approvalId, status: approval.status } },
  ])
  // Time spent waiting for reviewers does not count towards the manifest's time limit.
  const waitedMs = row.now.getTime() - approval.requestedAt.getTime()
  return await beginCall(
    tx,
    { ...loaded, row: { ...row, revision } },
    {
      step,
      arguments: record.arguments as JsonObject,
      index: (content.spec.runtime.steps ?? []).findIndex((candidate) => candidate.id === step.id),
      granted: {
        approvalId,
        tokens: await approvalTokens(tx, tenant.id, decisionId),
        deadlineAt: new Date((row.deadlineAt ?? row.now).getTime() + waitedMs),
      },
    },
  )
}

/**
 * Handles a started call without an answer, or whose worker has died, so that its outcome is unknown. Only a tool declared
 * idempotent is called again, with the same key; otherwise the execution ends as indeterminate, because unknown outcomes are
 * never retried.
 */
async function afterCrash(
  tx: Transaction,
  loaded: Loaded,
  step: ToolStep,
  record: StepRecord,
): Promise<StartedCall | undefined> {
  const { tenant, row, content } = loaded
  const tool = releasedTool(content, step.tool)
  const attempt = record.attempts + 1
  const kind = callKind(step.tool)
  const reason = reasonKept(record)
  const why = reason === undefined ? '' : `: ${reason}`
  const data = { attempt: record.attempts, ...(reason === undefined ? {} : { reason }) }
  const before = { type: `${kind}.outcome_unknown`, stepId: step.id, data }
  await keepReserved(tx, loaded, { stepId: step.id, attempt: record.attempts, decisionId: record.decisionId })
  await endSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId: record.spanId ?? '',
    status: 'error',
    statusMessage: `The outcome of this call is unknown${why}.`,
    attributes: [],
    endedAt: new Date(),
  })
  if (tool === undefined || !mayRepeat(loaded, tool, record.attempts)) {
    // A model call does not have side effects, so an unknown outcome is an ordinary failure.
    const ending =
      kind === 'model'
        ? {
            status: 'failed' as const,
            error: {
              code: 'model_unavailable',
              message: `${step.tool.name} did not answer in ${maxAttempts} attempts.`,
            },
          }
        : {
            status: 'indeterminate' as const,
            error: {
              code: 'outcome_unknown',
              message: `It is unknown whether ${step.tool.server}.${step.tool.name} ran${why}.`,
            },
          }
    await endExecution(tx, loaded, ending, [before])
    return undefined
  }
  const overspent = await reserveNext(tx, loaded, { step, tool, attempt, decisionId: record.decisionId })
  if (overspent !== undefined) {
    const status = overspent.code === 'budget_exhausted' ? 'denied' : 'failed'
    await endExecution(tx, loaded, { status, error: overspent }, [before])
    return undefined
  }
  const args = record.arguments as JsonObject
  const spanId = toolSpanId(row.traceId, step.id, attempt)
  const begun = { status: 'calling', spanId, attempts: attempt } as const
  await setStep(tx, tenant.id, row.id, step.id, reason === undefined ? begun : { ...begun, output: null })
  await startToolSpan(tx, loaded, { step, tool, arguments: args, spanId, attempt })
  const revision = await journal(tx, { tenantId: tenant.id, id: row.id, revision: row.revision }, {}, [
    before,
    {
      type: `${kind}.called`,
      stepId: step.id,
      data: { tool: `${tool.server}.${tool.name}`, arguments: loaded.mask(args), attempt },
    },
  ])
  await auditCall(tx, loaded, { step, tool, attempt })
  return { step, tool, arguments: args, spanId, attempt, revision, decisionId: record.decisionId }
}
