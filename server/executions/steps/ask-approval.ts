import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { findOwners } from '#server/agents/registry.ts'
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

/**
 * Asks the people that the policy names, and parks the execution; ends it when nobody could decide. They decide on what
 * leaves; the step keeps the arguments as they are, because policies are asked again about them.
 */
export async function askForApproval(
  tx: Transaction,
  loaded: Loaded,
  { step, arguments: args, leaving, index, granted }: ProposedCall & { leaving: JsonObject },
  tool: ReleasedTool,
  decision: PolicyDecision,
  decided: JournalEntry,
): Promise<void> {
  const { tenant, row, mask } = loaded
  const wanted = decision.approval
  if (wanted === undefined) throw new Error('A decision that needs an approval names none.')
  const maskedArguments = mask(leaving) as JsonObject
  const owners = (await findOwners(tx, tenant.id, [row.agentId])).map((owner) => owner.id)
  const request = await requestApproval(tx, tenant, {
    kind: 'tool_call',
    subjectId: row.id,
    payload: payloadOf(loaded, tool, leaving, decision),
    presentation: presentCall(loaded, { tool, maskedArguments, index, decision }),
    agentId: row.agentId,
    executionId: row.id,
    stepId: step.id,
    decisionId: decision.decisionId,
    requestedBy: row.startedBy,
    owners,
    group: wanted.group,
    quorum: wanted.quorum,
    expiresAfterSeconds: wanted.expiresAfterSeconds,
  }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'no_eligible_approver') return error
    throw error
  })
  if (request instanceof ApiError) {
    await endExecution(tx, loaded, { status: 'denied', error: { code: request.code, message: request.message } }, [
      decided,
    ])
    return
  }
  const { approvalId, payloadDigest, expiresAt } = request
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
  await journal(
    tx,
    { tenantId: tenant.id, id: row.id, revision: row.revision },
    { status: 'waiting_approval', deadlineAt: granted?.deadlineAt },
    [
      decided,
      {
        type: 'approval.requested',
        stepId: step.id,
        data: {
          approvalId,
          group: wanted.group,
          quorum: wanted.quorum,
          payloadDigest,
          expiresAt: expiresAt.toISOString(),
        },
      },
    ],
  )
  await beginNext(tx, loaded)
}
