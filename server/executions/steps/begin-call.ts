import { spendApproval } from '#server/approvals/spend.ts'
import { reserve } from '#server/executions/runtimes/budget.ts'
import { callKind, releasedTool } from '#server/executions/runtimes/external.ts'
import { announce, type JournalEntry, journalCall } from '#server/executions/state/journal.ts'
import { type KnownRows, writeBegin } from '#server/executions/state/known-store.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { ToolStep } from '#server/executions/state/next-step.ts'
import { toolSpanId } from '#server/executions/state/spans.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { readWritten } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { settleBudgets } from '#server/policies/budgets/settle-budgets.ts'
import { type DecisionAhead, decide, decideAhead, type PolicyDecision } from '#server/policies/decisions/decide.ts'
import { maskedArguments } from '#server/policies/decisions/mask-arguments.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import { decideByGrant, type GrantUsed, type Standing } from '#server/standing-grants/use.ts'
import { type NewSpan, spanStarts, startSpans } from '#server/traces/recording/record.ts'
import { askForApproval } from './ask-approval.ts'
import { auditBeginning, type Beginning } from './beginning.ts'
import { auditCall, budgetsOf, decisionEntry, decisionSpan, toolSpan } from './call-records.ts'
import { type ProposedCall, payloadOf, requestOf } from './call-request.ts'
import { endExecution } from './end.ts'

/**
 * Has one tool call decided and acts on the decision: starts the call (spending its approval, if it required one), requests an
 * approval and waits, or ends the execution. All conditions for starting the execution are checked again. Undefined when there
 * is nothing to call now. `ahead`: may throw DecidedByOldBindings, which rolls the transaction back, to be called again without it.
 */
export async function beginCall(
  tx: Transaction,
  loaded: Loaded,
  call: ProposedCall,
  { ahead = false }: { ahead?: boolean } = {},
): Promise<StartedCall | undefined> {
  const { tenant, content } = loaded
  const { step, granted } = call
  const tool = releasedTool(content, step.tool)
  const stopped = whyStopped(loaded, tool, step)
  if (stopped !== undefined || tool === undefined) {
    await endExecution(tx, loaded, { status: 'denied', error: stopped })
    return undefined
  }
  const foreseen = ahead ? await foreseeCall(tx, loaded, call, tool) : undefined
  if (foreseen?.decision.effect === 'allow') return await startAhead(tx, loaded, call, tool, foreseen)
  const first = await decide(tx, tenant, requestOf(loaded, tool, call), { foreseen })
  const standing = await byStandingGrant(tx, loaded, tool, call, first)
  const decision = standing?.decision ?? first
  const decisions = standing === undefined ? [first] : [first, standing.decision]
  const decided = decisions.map((one) => decisionEntry(step, one))
  const spans = decisions.map((one) => decisionSpan(loaded, tool, one))
  const recordSpans = () => startSpans(tx, tenant.id, loaded.row.traceId, spans)
  if (standing?.use !== undefined)
    decided.push({ type: 'standing_grant.used', stepId: step.id, data: { ...standing.use } })
  // The spans of a call that starts are sent with its own, unless its approval is spent before.
  const startsNow = decision.effect === 'allow' && granted === undefined
  if (!startsNow) await recordSpans()
  if (decision.effect === 'deny') {
    const [reason] = decision.reasons
    // Only a rule that forbids can be without a message: the decision point gives one for everything else.
    const message = reason?.message ?? 'A policy forbids this call.'
    const error = { code: reason?.code ?? 'policy_denied', message }
    const rules = decision.reasons.map(({ policyId, policyVersion, rule }) => ({ policyId, policyVersion, rule }))
    const details = { decisionId: decision.decisionId, rules }
    await endExecution(tx, loaded, { status: 'denied', error, details }, decided)
    return undefined
  }
  // Masked values never leave: the masked arguments are the ones approved and run.
  const leaving = maskedArguments(call.arguments, decision.masks)
  // Spent before anything else, even when another group must still approve: an approval is used once.
  if (
    granted !== undefined &&
    !(await spendApproval(tx, tenant.id, granted.approvalId, payloadOf(loaded, tool, leaving, decision)))
  ) {
    await settleBudgets(tx, tenant.id, { decisionId: decision.decisionId, attempt: 1 }, { made: 'no' })
    const message = 'The call differs from the approved one, or its approval was already used.'
    await endExecution(tx, loaded, { status: 'denied', error: { code: 'digest_mismatch', message } }, decided)
    return undefined
  }
  if (decision.effect === 'require_approval') {
    await askForApproval(tx, loaded, { ...call, leaving }, tool, decision, decided)
    return undefined
  }
  const overspent = await reserve(tx, loaded, { step, tool, attempt: 1 })
  if (overspent !== undefined) {
    if (startsNow) await recordSpans()
    await settleBudgets(tx, tenant.id, { decisionId: decision.decisionId, attempt: 1 }, { made: 'no' })
    await endExecution(tx, loaded, { status: 'failed', error: overspent }, decided)
    return undefined
  }
  const how = { decision, decided, spans: startsNow ? spans : [], use: standing?.use }
  return await startCall(tx, loaded, { ...call, arguments: leaving }, tool, how)
}

/**
 * The same for the first call of an execution, in one statement with its beginning, if the bindings that this process knows allow the
 * call at once. Undefined, with nothing sent, if they don't: then the beginning is sent first. Throws DecidedByOldBindings, which
 * rolls the transaction back, when the bindings have changed. `known`: the rows of an execution that this process has just stored, and
 * the decision if it has been made; then the COMMIT throws Unforeseen if anything that the call depends on has changed.
 */
export async function beginWithCall(
  tx: Transaction,
  loaded: Loaded,
  beginning: Beginning,
  call: ProposedCall,
  known?: { rows: KnownRows; ahead: DecisionAhead | undefined },
): Promise<StartedCall | undefined> {
  const tool = releasedTool(loaded.content, call.step.tool)
  if (tool === undefined || whyStopped(loaded, tool, call.step) !== undefined) return undefined
  const foreseen = await foreseeCall(tx, loaded, call, tool, known?.ahead)
  return foreseen?.decision.effect === 'allow'
    ? await startAhead(tx, loaded, call, tool, foreseen, { beginning, known: known?.rows })
    : undefined
}

/** The decision that is going to be made, for the call of a tool that no one has approved yet; `made` if it has been made. */
const foreseeCall = async (
  tx: Transaction,
  loaded: Loaded,
  call: ProposedCall,
  tool: ReleasedTool,
  made?: DecisionAhead,
): Promise<DecisionAhead | undefined> =>
  call.granted === undefined && callKind(tool) === 'tool'
    ? (made ?? (await decideAhead(tx, loaded.tenant, requestOf(loaded, tool, call))))
    : undefined

/** Starts a call that `decision` allows, and records the decision in the same statement. */
async function startAhead(
  tx: Transaction,
  loaded: Loaded,
  call: ProposedCall,
  tool: ReleasedTool,
  { decision, stored }: DecisionAhead,
  { beginning, known }: { beginning?: Beginning; known?: KnownRows | undefined } = {},
): Promise<StartedCall> {
  const decided = decisionEntry(call.step, decision)
  const span = decisionSpan(loaded, tool, decision)
  const how = {
    decision,
    decided: beginning === undefined ? [decided] : [beginning.entry, decided],
    spans: beginning === undefined ? [span] : [beginning.root, span],
    use: undefined,
    beginning,
    stored: await stored(tx),
    known,
  }
  return await startCall(tx, loaded, { ...call, arguments: maskedArguments(call.arguments, decision.masks) }, tool, how)
}

/** Whether a standing grant lets the call of a tool run for which the decision requires an approval. */
async function byStandingGrant(
  tx: Transaction,
  loaded: Loaded,
  tool: ReleasedTool,
  call: ProposedCall,
  first: PolicyDecision,
): Promise<Standing | undefined> {
  if (call.granted !== undefined || callKind(tool) !== 'tool') return undefined
  const { tenant, row } = loaded
  const held = {
    agent: { id: row.agentId, name: row.agentName },
    releaseId: row.releaseId,
    environment: row.environment,
    resource: `${tool.server}/${tool.name}`,
    arguments: call.arguments,
    executionId: row.id,
  }
  return await decideByGrant(tx, tenant, held, first, (fulfilled) =>
    decide(tx, tenant, { ...requestOf(loaded, tool, call), fulfilled }),
  )
}

/** Why no call of this execution can be made any more, if so. */
export function whyStopped(
  { row }: Loaded,
  tool: ReleasedTool | undefined,
  step: ToolStep,
): { code: string; message: string } | undefined {
  if (row.agentStatus === 'suspended' || row.agentStatus === 'retired')
    return { code: 'agent_suspended', message: `The agent is ${row.agentStatus}.` }
  // A newer release applies to new executions only; this execution continues under the release it was started with.
  if (row.releaseStatus !== 'active' && row.releaseStatus !== 'superseded')
    return { code: 'release_required', message: `The release is ${row.releaseStatus}.` }
  if (tool === undefined)
    return { code: 'tool_not_released', message: `${step.tool.server}.${step.tool.name} is not in the release.` }
  return undefined
}

async function startCall(
  tx: Transaction,
  loaded: Loaded,
  { step, arguments: args, granted }: ProposedCall,
  tool: ReleasedTool,
  {
    decision: { decisionId, obligations, budgets },
    decided,
    spans,
    use,
    beginning,
    stored,
    known,
  }: {
    decision: PolicyDecision
    decided: JournalEntry[]
    /** Those that are started before the call's. */
    spans: readonly NewSpan[]
    use: GrantUsed | undefined
    /** Of an execution that begins with this call. */
    beginning?: Beginning | undefined
    /** The decision, if it is not recorded yet. */
    stored?: Awaited<ReturnType<DecisionAhead['stored']>>
    /** The rows of an execution that begins with this call, if this process has just stored it. */
    known?: KnownRows | undefined
  },
): Promise<StartedCall> {
  const { tenant, row } = loaded
  const spanId = toolSpanId(row.traceId, step.id, 1)
  const called: JournalEntry = {
    type: `${callKind(tool)}.called`,
    stepId: step.id,
    data: { tool: `${tool.server}.${tool.name}`, arguments: loaded.mask(args), attempt: 1 },
  }
  const { traceId } = row
  const all = [...spans, toolSpan(loaded, { step, tool, arguments: args, spanId, attempt: 1 })]
  const begin = {
    traceId,
    spans: await spanStarts(tx, tenant.id, traceId, all),
    entries: [...decided, called],
    step: {
      id: step.id,
      change: { status: 'calling' as const, arguments: args, decisionId, spanId, attempts: 1, started: true },
    },
  }
  const fence = { tenantId: tenant.id, id: row.id, revision: row.revision }
  const began =
    known === undefined || beginning === undefined || stored === undefined
      ? undefined
      : await writeBegin(tx, fence, known, {
          ...begin,
          trace: beginning.trace,
          decision: stored,
          deadlineAt: beginning.change.deadlineAt,
        })
  if (began !== undefined) announce(tx, tenant.id, row.id, traceId)
  else
    await inOneWrite(tx, [
      () =>
        journalCall(tx, fence, {
          ...begin,
          trace: beginning?.trace,
          decision: stored,
          deadlineAt: beginning?.change.deadlineAt ?? granted?.deadlineAt,
        }),
      () => readWritten(tx),
    ])
  if (beginning !== undefined) await auditBeginning(tx, loaded)
  await auditCall(tx, loaded, {
    step,
    tool,
    attempt: 1,
    budgets: budgetsOf(obligations),
    approvalId: granted?.approvalId,
    standingGrantId: use?.grantId,
  })
  return {
    step,
    tool,
    arguments: args,
    spanId,
    attempt: 1,
    revision: row.revision + 1,
    decisionId,
    reserved: budgets.length > 0,
    ...(began === undefined ? {} : { known: began }),
  }
}
