import { durationSeconds } from '#lib/duration.ts'
import { ApiError } from '#lib/errors.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { findOwners } from '#server/agents/store.ts'
import { requestApproval } from '#server/approvals/request.ts'
import { spendApproval } from '#server/approvals/spend.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { decide, type PolicyDecision } from '#server/policies/decide.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import { endSpan, startSpan } from '#server/traces/record.ts'
import { endExecution } from './end.ts'
import { type JournalEntry, journal } from './journal.ts'
import type { Loaded } from './load.ts'
import type { ToolStep } from './next-step.ts'
import { presentCall } from './present-call.ts'
import { rootSpanId, stepSpanId } from './spans.ts'
import { setStep } from './store.ts'

/** A tool call whose start is committed: from here on a crash leaves its outcome unknown. */
export type StartedCall = {
  step: ToolStep
  tool: ReleasedTool
  arguments: JsonObject
  spanId: string
  attempt: number
  revision: number
}

type Granted = { approvalId: string; tokens: string[]; deadlineAt: Date }

/**
 * Puts one tool call before the decision point and does what it says: starts the call (its approval, when it needed one, is
 * spent here), asks for an approval and waits, or ends the execution. Everything that was true when the execution started
 * is looked at again. Undefined: nothing to call now.
 */
export async function beginCall(
  tx: Transaction,
  loaded: Loaded,
  call: { step: ToolStep; arguments: JsonObject; index: number; granted?: Granted },
): Promise<StartedCall | undefined> {
  const { tenant, content } = loaded
  const { step, granted } = call
  const tool = content.tools.find(
    (candidate) => candidate.server === step.tool.server && candidate.name === step.tool.name,
  )
  const stopped = whyStopped(loaded, tool, step)
  if (stopped !== undefined || tool === undefined) {
    await endExecution(tx, loaded, { status: 'denied', ...(stopped === undefined ? {} : { error: stopped }) })
    return undefined
  }
  const decision = await decide(tx, tenant, requestOf(loaded, tool, call))
  const decided = await recordDecision(tx, loaded, step, tool, decision, granted === undefined ? 1 : 2)
  if (decision.effect === 'deny') {
    const [reason] = decision.reasons
    const message = reason?.message ?? 'No policy permits this call.'
    await endExecution(tx, loaded, { status: 'denied', error: { code: reason?.code ?? 'policy_denied', message } }, [
      decided,
    ])
    return undefined
  }
  if (decision.effect === 'require_approval') {
    await askForApproval(tx, loaded, call, tool, decision, decided)
    return undefined
  }
  if (
    granted !== undefined &&
    !(await spendApproval(tx, tenant.id, granted.approvalId, payloadOf(loaded, tool, call.arguments, decision)))
  ) {
    const error = {
      code: 'digest_mismatch',
      message: 'What would run is not what was approved, or the approval was used before.',
    }
    await endExecution(tx, loaded, { status: 'denied', error }, [decided])
    return undefined
  }
  return await startCall(tx, loaded, call, tool, decision, decided)
}

function whyStopped(
  { row }: Loaded,
  tool: ReleasedTool | undefined,
  step: ToolStep,
): { code: string; message: string } | undefined {
  if (row.agentStatus === 'suspended' || row.agentStatus === 'retired')
    return { code: 'agent_suspended', message: `The agent is ${row.agentStatus}.` }
  // A newer release supersedes this one for new executions; this one ends under the release that it was started with.
  if (row.releaseStatus !== 'active' && row.releaseStatus !== 'superseded')
    return { code: 'release_required', message: `The release is ${row.releaseStatus}.` }
  if (tool === undefined)
    return { code: 'tool_not_released', message: `${step.tool.server}.${step.tool.name} is not in the release.` }
  return undefined
}

const requestOf = (
  { row, content, steps }: Loaded,
  tool: ReleasedTool,
  { step, arguments: args, granted }: { step: ToolStep; arguments: JsonObject; granted?: Granted },
) => {
  const { group, quorum, expiresAfter } = content.spec.governance.approvals
  return {
    agent: {
      id: row.agentId,
      name: row.agentName,
      version: content.agent.version,
      lifecycle: 'released' as const,
      riskTier: content.spec.risk?.tier ?? null,
      allowedTools: content.spec.tools.flatMap((entry) => entry.allow.map((name) => `${entry.mcp.server}/${name}`)),
      requireApproval: content.spec.tools.flatMap((entry) =>
        entry.requireApproval.map((name) => `${entry.mcp.server}/${name}`),
      ),
      approvals: {
        group: group ?? 'change-approvers',
        quorum: quorum ?? 1,
        expiresAfterSeconds: durationSeconds(expiresAfter ?? 'P1D') ?? 86_400,
      },
    },
    releaseId: row.releaseId,
    releaseDigest: row.releaseDigest,
    environment: row.environment,
    tool: { server: tool.server, name: tool.name, sideEffect: tool.sideEffect, idempotent: tool.idempotent },
    arguments: args,
    executionId: row.id,
    stepId: step.id,
    toolCalls: steps.filter((record) => record.attempts > 0).length,
    fulfilled: granted?.tokens ?? [],
  }
}

/** What an approval binds (api design §4): one other byte is another digest. */
const payloadOf = (
  { tenant, row }: Loaded,
  tool: ReleasedTool,
  args: JsonObject,
  decision: PolicyDecision,
): JsonObject => ({
  tenant: tenant.externalId,
  release: row.releaseDigest,
  environment: row.environment,
  action: 'ToolCall',
  resource: `${tool.server}/${tool.name}`,
  arguments: args,
  policyVersion: decision.policies.map((policy) => ({
    name: policy.name,
    version: policy.version,
    digest: policy.digest,
  })),
  requester: row.startedBy,
})

async function recordDecision(
  tx: Transaction,
  { tenant, row }: Loaded,
  step: ToolStep,
  tool: ReleasedTool,
  decision: PolicyDecision,
  attempt: number,
): Promise<JournalEntry> {
  const spanId = stepSpanId(row.traceId, step.id, 'policy', attempt)
  const at = new Date()
  const rules = decision.reasons.map((reason) => `${reason.policyName} v${reason.policyVersion}: ${reason.rule}`)
  await startSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId,
    parentSpanId: rootSpanId(row.traceId),
    name: `decide ${tool.server}.${tool.name}`,
    kind: 'policy',
    attributes: [
      { key: 'countersign.decision.id', value: decision.decisionId },
      { key: 'countersign.decision.effect', value: decision.effect },
      { key: 'countersign.decision.rules', value: rules },
      { key: 'countersign.decision.input_digest', value: decision.inputDigest },
    ],
    startedAt: at,
  })
  await endSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId,
    status: decision.effect === 'deny' ? 'error' : 'ok',
    attributes: [],
    endedAt: at,
  })
  return {
    type: 'policy.decided',
    stepId: step.id,
    data: { decisionId: decision.decisionId, effect: decision.effect, rules, inputDigest: decision.inputDigest },
  }
}

async function askForApproval(
  tx: Transaction,
  loaded: Loaded,
  { step, arguments: args, index }: { step: ToolStep; arguments: JsonObject; index: number },
  tool: ReleasedTool,
  decision: PolicyDecision,
  decided: JournalEntry,
): Promise<void> {
  const { tenant, row, mask } = loaded
  const wanted = decision.approval
  if (wanted === undefined) throw new Error('A decision that needs an approval names none.')
  const maskedArguments = mask(args) as JsonObject
  const expiresAt = new Date(Date.now() + wanted.expiresAfterSeconds * 1000)
  const owners = (await findOwners(tx, tenant.id, [row.agentId])).map((owner) => owner.id)
  const request = await requestApproval(tx, tenant, {
    kind: 'tool_call',
    subjectId: row.id,
    payload: payloadOf(loaded, tool, args, decision),
    presentation: presentCall(loaded, { tool, maskedArguments, index, decision }),
    agentId: row.agentId,
    executionId: row.id,
    stepId: step.id,
    decisionId: decision.decisionId,
    requestedBy: row.startedBy,
    owners,
    group: wanted.group,
    quorum: wanted.quorum,
    expiresAt,
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
  const { approvalId, payloadDigest } = request
  await setStep(tx, tenant.id, row.id, step.id, {
    status: 'waiting_approval',
    arguments: args,
    decisionId: decision.decisionId,
    approvalId,
  })
  await startSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId: stepSpanId(row.traceId, step.id, 'approval'),
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
  await journal(tx, { tenantId: tenant.id, id: row.id, revision: row.revision }, { status: 'waiting_approval' }, [
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
  ])
}

async function startCall(
  tx: Transaction,
  loaded: Loaded,
  { step, arguments: args, granted }: { step: ToolStep; arguments: JsonObject; granted?: Granted },
  tool: ReleasedTool,
  decision: PolicyDecision,
  decided: JournalEntry,
): Promise<StartedCall> {
  const { tenant, row } = loaded
  const spanId = stepSpanId(row.traceId, step.id, 'tool')
  await setStep(tx, tenant.id, row.id, step.id, {
    status: 'calling',
    arguments: args,
    decisionId: decision.decisionId,
    spanId,
    attempts: 1,
    started: true,
  })
  await startToolSpan(tx, loaded, { step, tool, arguments: args, spanId, attempt: 1 })
  const revision = await journal(
    tx,
    { tenantId: tenant.id, id: row.id, revision: row.revision },
    { status: 'running', ...(granted === undefined ? {} : { deadlineAt: granted.deadlineAt }) },
    [
      decided,
      {
        type: 'tool.called',
        stepId: step.id,
        data: { tool: `${tool.server}.${tool.name}`, arguments: loaded.mask(args), attempt: 1 },
      },
    ],
  )
  await auditCall(tx, loaded, {
    step,
    tool,
    attempt: 1,
    ...(granted === undefined ? {} : { approvalId: granted.approvalId }),
  })
  return { step, tool, arguments: args, spanId, attempt: 1, revision }
}

export async function startToolSpan(
  tx: Transaction,
  { tenant, row, mask }: Loaded,
  call: { step: ToolStep; tool: ReleasedTool; arguments: JsonObject; spanId: string; attempt: number },
): Promise<void> {
  await startSpan(tx, tenant.id, {
    traceId: row.traceId,
    spanId: call.spanId,
    parentSpanId: rootSpanId(row.traceId),
    name: `execute_tool ${call.tool.name}`,
    kind: 'tool',
    attributes: [
      { key: 'gen_ai.operation.name', value: 'execute_tool' },
      { key: 'gen_ai.tool.name', value: call.tool.name },
      { key: 'mcp.server', value: call.tool.server },
      { key: 'countersign.step', value: call.step.id },
      { key: 'countersign.attempt', value: call.attempt },
      { key: 'gen_ai.tool.call.arguments', value: mask(call.arguments as JsonValue) },
    ],
    startedAt: new Date(),
  })
}

export async function auditCall(
  tx: Transaction,
  { tenant, row }: Loaded,
  { step, tool, attempt, approvalId }: { step: ToolStep; tool: ReleasedTool; attempt: number; approvalId?: string },
): Promise<void> {
  await appendAudit(tx, tenant, {
    actor: { type: 'agent', id: row.agentId, name: row.agentName },
    action: 'tool.called',
    resource: { type: 'execution', id: row.id },
    details: {
      step: step.id,
      tool: `${tool.server}/${tool.name}`,
      attempt,
      idempotencyKey: `${row.id}:${step.id}`,
      ...(approvalId === undefined ? {} : { approvalId }),
    },
  })
}
