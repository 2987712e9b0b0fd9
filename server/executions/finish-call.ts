import type { JsonValue } from '#lib/json.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { endSpan, masked } from '#server/traces/record.ts'
import type { StartedCall } from './begin-call.ts'
import { withBudgets } from './call-records.ts'
import { endExecution } from './end.ts'
import { type JournalEntry, journal } from './journal.ts'
import type { Loaded } from './load.ts'
import { maskerFor, maskText } from './masking.ts'
import { type CallResult, settleCall } from './runtimes/budget.ts'
import { callKind } from './runtimes/external.ts'
import { modelResultAttributes, usageData } from './runtimes/model-spans.ts'
import { setStep } from './store.ts'

/**
 * Records that a tool answered after its execution had been ended or taken over: the state stays as it is, and what
 * happened outside is not lost.
 */
async function recordLateAnswer(tx: Transaction, loaded: Loaded, call: StartedCall, result: CallResult): Promise<void> {
  const { tenant, row } = loaded
  const { uses } = await settleCall(tx, loaded, call, result)
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: `${callKind(call.tool)}.${result.ok ? 'returned' : 'failed'}_late`,
    resource: { type: 'execution', id: row.id },
    details: {
      step: call.step.id,
      tool: `${call.tool.server}/${call.tool.name}`,
      attempt: call.attempt,
      ...withBudgets(uses),
    },
  })
}

/**
 * Records an answer whose execution changed during the call. One that was only asked to stop is still this worker's: its
 * answer counts, and the next turn ends it.
 */
export async function recordFenced(
  tx: Transaction,
  loaded: Loaded,
  call: StartedCall,
  result: CallResult,
): Promise<'still ours' | 'late'> {
  const { row, steps } = loaded
  const step = steps.find((candidate) => candidate.stepId === call.step.id)
  if (
    row.endedAt === null &&
    row.stopRequestedAt !== null &&
    step?.status === 'calling' &&
    step.attempts === call.attempt
  ) {
    await finishCall(tx, loaded, { ...call, revision: row.revision }, result)
    return 'still ours'
  }
  await recordLateAnswer(tx, loaded, call, result)
  return 'late'
}

/** Records what a tool answered. The call's revision fences it: an execution that was stopped meanwhile keeps its state. */
export async function finishCall(
  tx: Transaction,
  loaded: Loaded,
  call: StartedCall,
  result: CallResult,
): Promise<void> {
  const { tenant, row, content, input, steps } = loaded
  const seen = [input, ...steps.map((step) => step.output as JsonValue), result.output]
  const mask = maskerFor(content, seen)
  const execution = { tenantId: tenant.id, id: row.id, revision: call.revision }
  const kind = callKind(call.tool)
  const { cost, uses } = await settleCall(tx, loaded, call, result)
  const message = result.ok ? undefined : maskText(mask, result.text)
  await setStep(tx, tenant.id, row.id, call.step.id, {
    status: result.ok ? 'succeeded' : 'failed',
    output: result.output,
    ended: true,
  })
  await endSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId: call.spanId,
    status: result.ok ? 'ok' : 'error',
    ...(message === undefined ? {} : { statusMessage: message }),
    attributes:
      kind === 'model'
        ? modelResultAttributes(result, mask, cost)
        : [masked('gen_ai.tool.call.result', result.output, mask)],
    endedAt: new Date(),
  })
  const returned: JournalEntry = {
    type: `${kind}.${result.ok ? 'returned' : result.refused === undefined ? 'failed' : 'refused'}`,
    stepId: call.step.id,
    data: {
      tool: `${call.tool.server}.${call.tool.name}`,
      attempt: call.attempt,
      result: mask(result.output),
      ...usageData(result, cost),
      ...withBudgets(uses),
    },
  }
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: returned.type,
    resource: { type: 'execution', id: row.id },
    details: {
      step: call.step.id,
      tool: `${call.tool.server}/${call.tool.name}`,
      attempt: call.attempt,
      ...withBudgets(uses),
    },
  })
  // A conversation goes on with what a tool's failure says; one that was refused ends it, like any other.
  const goesOn = kind === 'tool' && content.spec.runtime.chat !== undefined && result.refused === undefined
  if (result.ok || goesOn) await journal(tx, execution, {}, [returned])
  else {
    const { refused } = result
    const error = { code: refused ?? `${kind}_failed`, message: `${call.tool.server}.${call.tool.name}: ${message}` }
    const status = refused === undefined ? 'failed' : 'denied'
    await endExecution(tx, { ...loaded, row: { ...row, revision: call.revision }, mask }, { status, error }, [returned])
  }
}
