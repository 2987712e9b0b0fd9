import type { JsonValue } from '#lib/json.ts'
import type { ToolResult } from '#server/agents/tool-result.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { endSpan } from '#server/traces/record.ts'
import type { StartedCall } from './begin-call.ts'
import { endExecution } from './end.ts'
import { type JournalEntry, journal } from './journal.ts'
import type { Loaded } from './load.ts'
import { maskerFor, maskText } from './masking.ts'
import { setStep } from './store.ts'

/**
 * Records that a tool answered after its execution had been ended or taken over: the state stays as it is, and what
 * happened outside is not lost.
 */
async function recordLateAnswer(
  tx: Transaction,
  { tenant, row }: Loaded,
  call: StartedCall,
  result: ToolResult,
): Promise<void> {
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: result.ok ? 'tool.returned_late' : 'tool.failed_late',
    resource: { type: 'execution', id: row.id },
    details: { step: call.step.id, tool: `${call.tool.server}/${call.tool.name}`, attempt: call.attempt },
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
  result: ToolResult,
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
  result: ToolResult,
): Promise<void> {
  const { tenant, row, content, input, steps } = loaded
  const seen = [input, ...steps.map((step) => step.output as JsonValue), result.output]
  const mask = maskerFor(content, seen)
  const execution = { tenantId: tenant.id, id: row.id, revision: call.revision }
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
    attributes: [{ key: 'gen_ai.tool.call.result', value: mask(result.output) }],
    endedAt: new Date(),
  })
  const returned: JournalEntry = {
    type: result.ok ? 'tool.returned' : result.refused === undefined ? 'tool.failed' : 'tool.refused',
    stepId: call.step.id,
    data: { tool: `${call.tool.server}.${call.tool.name}`, attempt: call.attempt, result: mask(result.output) },
  }
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: returned.type,
    resource: { type: 'execution', id: row.id },
    details: { step: call.step.id, tool: `${call.tool.server}/${call.tool.name}`, attempt: call.attempt },
  })
  if (result.ok) await journal(tx, execution, {}, [returned])
  else {
    const { refused } = result
    const error = { code: refused ?? 'tool_failed', message: `${call.tool.server}.${call.tool.name}: ${message}` }
    const status = refused === undefined ? 'failed' : 'denied'
    await endExecution(tx, { ...loaded, row: { ...row, revision: call.revision }, mask }, { status, error }, [returned])
  }
}
