import type { JsonValue } from '#lib/json.ts'
import { type CallResult, settleCall } from '#server/executions/runtimes/budget.ts'
import { callKind } from '#server/executions/runtimes/external.ts'
import { modelResultAttributes, usageData } from '#server/executions/runtimes/model-spans.ts'
import { wholeOutput } from '#server/executions/runtimes/next-gateway.ts'
import { nextTurn } from '#server/executions/runtimes/next-turn.ts'
import { type JournalEntry, journalEnd } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { type Masker, maskerFor, maskText } from '#server/executions/state/masking.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import { readWritten } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { type EndedSpan, masked, spanEnds } from '#server/traces/recording/record.ts'
import { withBudgets } from './call-records.ts'
import { type EndedCall, endExecution } from './end.ts'

/**
 * Records an answer that arrived after the execution had ended or been taken over by another worker: its state does not change,
 * but the external effect is documented.
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
 * Records an answer whose execution changed during the call. If only a stop was requested, the execution still belongs to this
 * worker: the answer counts, and the next turn ends it.
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

/**
 * Records the answer of a tool, fenced by the call's revision: an execution stopped during the call keeps its state. With
 * `mayEnd`, an execution whose last step this was ends in the same statement, unless its agent may no longer run or its time
 * has run out (then Fenced is thrown, as for any other change, or Unforeseen by the COMMIT for a call whose rows are known). True when the
 * execution has ended.
 */
export async function finishCall(
  tx: Transaction,
  loaded: Loaded,
  call: StartedCall,
  result: CallResult,
  { mayEnd = false }: { mayEnd?: boolean } = {},
): Promise<boolean> {
  const { row, content, input, steps } = loaded
  const seen = [input, ...steps.map((step) => step.output as JsonValue), result.output]
  const mask = maskerFor(content, seen)
  const { returned, cost } = await recordReturn(tx, loaded, call, result, mask)
  const called = { ...loaded, row: { ...row, revision: call.revision }, mask }
  const last = !result.ok && endsExecution(loaded, call, result)
  const output = mayEnd && result.ok ? outputAfter(loaded, call, result) : undefined
  const ended = { step: stepEnd(call, result), spans: [callSpanEnd(call, result, mask, cost)], known: call.known }
  if (last) await endExecution(tx, called, failureOf(call, result, mask), [returned], { with: ended })
  else if (output === undefined) await endCall()
  else await endExecution(tx, called, { status: 'succeeded', output }, [returned], { with: ended, whileAllowed: true })
  return last || output !== undefined

  async function endCall(): Promise<void> {
    const { id, traceId } = row
    const end = {
      step: ended.step,
      spans: { traceId, ends: await spanEnds(tx, loaded.tenant.id, traceId, ended.spans), endedAt: undefined },
      change: {},
      entries: [returned],
      whileAllowed: false,
    }
    await inOneWrite(tx, [
      () => journalEnd(tx, { tenantId: loaded.tenant.id, id, revision: call.revision }, end),
      () => readWritten(tx),
    ])
  }
}

type Settled = Awaited<ReturnType<typeof settleCall>>

/** Charges the call and records its outcome in the audit log. Returns the journal entry. */
async function recordReturn(
  tx: Transaction,
  loaded: Loaded,
  call: StartedCall,
  result: CallResult,
  mask: Masker,
): Promise<{ returned: JournalEntry; cost: Settled['cost'] }> {
  const { tenant, row } = loaded
  const { step, tool, attempt } = call
  const { cost, uses } = await settleCall(tx, loaded, call, result)
  const returned: JournalEntry = {
    type: `${callKind(tool)}.${result.ok ? 'returned' : result.refused === undefined ? 'failed' : 'refused'}`,
    stepId: step.id,
    data: {
      tool: `${tool.server}.${tool.name}`,
      attempt,
      result: mask(result.output),
      ...usageData(result, cost),
      ...withBudgets(uses),
    },
  }
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: returned.type,
    resource: { type: 'execution', id: row.id },
    details: { step: step.id, tool: `${tool.server}/${tool.name}`, attempt, ...withBudgets(uses) },
  })
  return { returned, cost }
}

const stepEnd = ({ step }: StartedCall, result: CallResult): EndedCall['step'] => ({
  id: step.id,
  change: { status: result.ok ? 'succeeded' : 'failed', output: wholeOutput(step.id, result), ended: true },
})

const callSpanEnd = (
  { spanId, tool }: StartedCall,
  result: CallResult,
  mask: Masker,
  cost: Settled['cost'],
): EndedSpan => ({
  spanId,
  status: result.ok ? 'ok' : 'error',
  statusMessage: result.ok ? undefined : maskText(mask, result.text),
  attributes:
    callKind(tool) === 'model'
      ? modelResultAttributes(result, mask, cost)
      : [masked('gen_ai.tool.call.result', result.output, mask)],
  endedAt: new Date(),
})

/** A conversation continues after a failed tool call, with the error as the answer. A refused call ends any execution. */
const endsExecution = ({ content }: Loaded, { tool }: StartedCall, { refused }: CallResult): boolean =>
  callKind(tool) !== 'tool' || content.spec.runtime.chat === undefined || refused !== undefined

function failureOf({ tool }: StartedCall, { refused, text }: CallResult, mask: Masker) {
  const code = refused ?? `${callKind(tool)}_failed`
  const error = { code, message: `${tool.server}.${tool.name}: ${maskText(mask, text)}` }
  return { status: refused === undefined ? ('failed' as const) : ('denied' as const), error }
}

/** The output of the execution if this was its last step; otherwise undefined. */
function outputAfter(loaded: Loaded, { step }: StartedCall, result: CallResult): JsonValue | undefined {
  const output = wholeOutput(step.id, result)
  const before = loaded.steps.filter(({ stepId }) => stepId !== step.id)
  const records = before.map(({ stepId, status, output: had }) => ({ stepId, status, output: had as JsonValue }))
  records.push({ stepId: step.id, status: 'succeeded', output })
  const next = nextTurn(loaded.content, records, loaded.input)
  return next.kind === 'done' ? next.output : undefined
}
