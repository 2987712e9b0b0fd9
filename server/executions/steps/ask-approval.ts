import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { type ApprovalTerms, stagesOf, stagesText, termsOf } from '#lib/rules/approval-terms.ts'
import { requestApproval } from '#server/approvals/request.ts'
import { type JournalEntry, journal } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { rootSpanId, spanIdOf } from '#server/executions/state/spans.ts'
import { setStep } from '#server/executions/state/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { PolicyDecision } from '#server/policies/decisions/decide.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import { startSpan } from '#server/traces/recording/record.ts'
import { type ProposedCall, payloadOf } from './call-request.ts'
import { beginNext } from './concurrency.ts'
import { endExecution } from './end.ts'
import { presentCall } from './present-call.ts'

export type AskedCall = ProposedCall & { leaving: JsonObject }
export type Asked = { tool: ReleasedTool; decision: PolicyDecision; wanted: ApprovalTerms }
type Request = Awaited<ReturnType<typeof requestApproval>>

/**
 * Requests the approval that the policy requires and parks the execution, or ends it when no one is eligible to decide.
 * Reviewers decide on the outgoing arguments; the step keeps the original ones, because policies evaluate them again.
 */
export async function askForApproval(
  tx: Transaction,
  loaded: Loaded,
  call: AskedCall,
  tool: ReleasedTool,
  decision: PolicyDecision,
  decided: JournalEntry[],
): Promise<void> {
  const wanted = decision.approval
  if (wanted === undefined) throw new Error('A decision that requires an approval does not specify one.')
  const asked = { tool, decision, wanted }
  const request = await ask(tx, loaded, call, asked).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'no_eligible_approver') return error
    throw error
  })
  if (request instanceof ApiError) {
    const { code, message } = request
    await endExecution(tx, loaded, { status: 'denied', error: { code, message } }, decided)
    return
  }
  await parkStep(tx, loaded, call, asked, request)
  await journalRequest(tx, loaded, call, wanted, request, decided)
  await beginNext(tx, loaded)
}

/**
 * Requests the approval of other arguments for a call that already waits, in place of the request `supersedes`. Throws
 * `no_eligible_approver`.
 */
export async function askForRevisedCall(
  tx: Transaction,
  loaded: Loaded,
  call: AskedCall,
  asked: Asked,
  decided: JournalEntry,
  { supersedes, deadlineAt }: { supersedes: string; deadlineAt: Date },
): Promise<Request> {
  const request = await ask(tx, loaded, call, asked)
  await parkStep(tx, loaded, call, asked, request)
  await journalRequest(tx, loaded, call, asked.wanted, request, [decided], { supersedes, deadlineAt })
  return request
}

async function ask(
  tx: Transaction,
  loaded: Loaded,
  { step, leaving, index }: AskedCall,
  { tool, decision, wanted }: Asked,
): Promise<Request> {
  const { tenant, row, mask } = loaded
  const maskedArguments = mask(leaving) as JsonObject
  return await requestApproval(tx, tenant, {
    kind: 'tool_call',
    subjectId: row.id,
    payload: payloadOf(loaded, tool, leaving, decision),
    presentation: presentCall(loaded, { tool, maskedArguments, index, decision }),
    agentId: row.agentId,
    executionId: row.id,
    stepId: step.id,
    decisionId: decision.decisionId,
    requestedBy: row.startedBy,
    agents: [row.agentId],
    ...termsOf(stagesOf(wanted), wanted),
  })
}

/** Marks the step as waiting, with a span for the time until the decision. */
async function parkStep(
  tx: Transaction,
  { tenant, row }: Loaded,
  { step, arguments: args }: AskedCall,
  { tool, decision, wanted }: Asked,
  { approvalId, payloadDigest }: Request,
): Promise<void> {
  await setStep(tx, tenant.id, row.id, step.id, {
    status: 'waiting_approval',
    arguments: args,
    decisionId: decision.decisionId,
    approvalId,
  })
  await startSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId: spanIdOf(row.traceId, approvalId),
    parentSpanId: rootSpanId(row.traceId),
    name: `approval ${tool.server}.${tool.name}`,
    kind: 'approval',
    attributes: [
      { key: 'countersign.approval.id', value: approvalId },
      { key: 'countersign.approval.group', value: wanted.group },
      { key: 'countersign.payload.digest', value: payloadDigest },
    ],
    startedAt: new Date(),
  })
}

async function journalRequest(
  tx: Transaction,
  { tenant, row }: Loaded,
  { step, granted }: AskedCall,
  { group, quorum, later }: Asked['wanted'],
  { approvalId, payloadDigest, expiresAt }: Request,
  decided: JournalEntry[],
  revised?: { supersedes: string; deadlineAt: Date },
): Promise<void> {
  const data = {
    approvalId,
    group,
    quorum,
    ...(later !== undefined && { later: stagesText(later) }),
    payloadDigest,
    expiresAt: expiresAt.toISOString(),
    ...(revised !== undefined && { supersedes: revised.supersedes }),
  }
  await journal(
    tx,
    { tenantId: tenant.id, id: row.id, revision: row.revision },
    { status: 'waiting_approval', deadlineAt: revised?.deadlineAt ?? granted?.deadlineAt },
    [...decided, { type: 'approval.requested', stepId: step.id, data }],
  )
}
