import { ApiError, notFound } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { mergePatch } from '#lib/merge-patch.ts'
import { ReviseInput, ReviseOutput } from '#lib/schemas/approvals/revisions.ts'
import { lockForChanges, supersede, termsBefore } from '#server/approvals/revisions/supersede.ts'
import { callKind, releasedTool } from '#server/executions/runtimes/external.ts'
import { nextOf } from '#server/executions/runtimes/next-turn.ts'
import { Fenced } from '#server/executions/state/journal.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import { isToolStep, type ToolStep } from '#server/executions/state/next-step.ts'
import { spanIdOf } from '#server/executions/state/spans.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { settleBudgets } from '#server/policies/budgets/settle-budgets.ts'
import { decide } from '#server/policies/decisions/decide.ts'
import { maskedArguments } from '#server/policies/decisions/mask-arguments.ts'
import { argumentTypeOf } from '#server/policies/language/argument-types.ts'
import { typedArguments } from '#server/policies/language/argument-values.ts'
import { jsonMisfit } from '#server/policies/language/json-misfit.ts'
import type { ReleasedTool } from '#server/releases/content.ts'
import { endSpan } from '#server/traces/recording/record.ts'
import { askForRevisedCall } from './steps/ask-approval.ts'
import { whyStopped } from './steps/begin-call.ts'
import { recordDecision } from './steps/call-records.ts'
import { requestOf } from './steps/call-request.ts'

/**
 * Proposes other arguments for a call of which a reviewer requested changes. The tool’s schema and the policies check them, and
 * they become a new request, for which no earlier vote counts, even if no rule requires one: a person asked to see them.
 */
export const revise = mutation({
  permission: 'execution:start',
  input: ReviseInput,
  output: ReviseOutput,
  audit: (input, output) => ({
    action: 'approval.revised',
    resource: { type: 'approval', id: input.approvalId },
    details: output && { nextId: output.approvalId, payloadDigest: output.payloadDigest },
  }),
  async run({ tx, tenant, principal, input: { approvalId, changes } }) {
    const approval = await lockForChanges(tx, tenant, principal, approvalId)
    if (approval === undefined) throw notFound()
    if (approval.kind !== 'tool_call' || approval.executionId === null)
      throw new ApiError('conflict', 'An agent elsewhere asks again with approvals.request and `supersedes`.')
    const waiting = await waitingCall(tx, tenant.id, approval.executionId, approvalId)
    const { loaded, step, tool, index } = waiting
    const args = changed(waiting.arguments, changes, tool)
    const decision = await decide(tx, tenant, requestOf(loaded, tool, { step, arguments: args }))
    if (decision.effect === 'deny')
      throw refuse('policy_denied', decision.reasons[0]?.message ?? 'A policy forbids this call.')
    // Nothing runs yet.
    if (decision.effect === 'allow')
      await settleBudgets(tx, tenant.id, { decisionId: decision.decisionId, attempt: 1 }, { made: 'no' })
    const decided = await recordDecision(tx, loaded, step, tool, decision)
    await endSpan(tx, tenant.id, {
      traceId: loaded.row.traceId,
      spanId: spanIdOf(loaded.row.traceId, approvalId),
      status: 'error',
      attributes: [{ key: 'countersign.approval.status', value: 'changes_requested' }],
      endedAt: new Date(),
    })
    const waitedMs = loaded.row.now.getTime() - approval.requestedAt.getTime()
    const request = await unlessFenced(
      askForRevisedCall(
        tx,
        loaded,
        { step, index, arguments: args, leaving: maskedArguments(args, decision.masks) },
        { tool, decision, wanted: decision.approval ?? (await termsBefore(tx, tenant.id, approval)) },
        decided,
        {
          supersedes: approvalId,
          // Time spent waiting does not count towards the manifest's time limit.
          deadlineAt: new Date((loaded.row.deadlineAt ?? loaded.row.now).getTime() + waitedMs),
        },
      ),
    )
    await supersede(tx, tenant.id, approvalId, { nextId: request.approvalId, revisedBy: principal.memberId })
    return { ...request, supersedes: approvalId, expiresAt: request.expiresAt.toISOString() }
  },
})

const unlessFenced = <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    throw error instanceof Fenced ? gone() : error
  })

const gone = (): ApiError => new ApiError('conflict', 'The execution no longer waits for this call.')

type Waiting = { loaded: Loaded; step: ToolStep; tool: ReleasedTool; index: number; arguments: JsonObject }

/** The call that waits for this approval. Throws 409 if its execution has ended or must not go on. */
async function waitingCall(
  tx: Transaction,
  tenantId: string,
  executionId: string,
  approvalId: string,
): Promise<Waiting> {
  const loaded = await loadExecution(tx, tenantId, executionId)
  if (loaded === undefined) throw notFound()
  const record = loaded.steps.find((one) => one.approvalId === approvalId)
  if (loaded.row.endedAt !== null || loaded.row.stopRequestedAt !== null || record?.status !== 'waiting_approval')
    throw gone()
  const next = nextOf(loaded)
  if (next.kind !== 'resume' || !isToolStep(next.step)) throw gone()
  const { step } = next
  const tool = releasedTool(loaded.content, step.tool)
  const stopped = whyStopped(loaded, tool, step)
  if (stopped !== undefined || tool === undefined)
    throw new ApiError('conflict', stopped?.message ?? 'The tool is not in the release.')
  if (callKind(tool) !== 'tool') throw new ApiError('conflict', 'Only the arguments of a tool can be changed.')
  return {
    loaded,
    step,
    tool,
    index: (loaded.content.spec.runtime.steps ?? []).findIndex(({ id }) => id === step.id),
    arguments: record.arguments as JsonObject,
  }
}

/** The arguments after the changes. Throws 400 if they stay the same, or don't fit the tool's schema. */
function changed(before: JsonObject, changes: JsonObject, { inputSchema }: ReleasedTool): JsonObject {
  const after = mergePatch(before, changes)
  if (canonicalJson(after) === canonicalJson(before))
    throw invalid('changes', 'These changes leave the arguments as they are.')
  const declared = inputSchema.properties
  const unknown = Object.keys(changes).find((name) => isJsonObject(declared) && !Object.hasOwn(declared, name))
  if (unknown !== undefined) throw invalid(`changes.${unknown}`, 'The tool does not have this argument.')
  const misfit = jsonMisfit(inputSchema, after) ?? typedArguments(argumentTypeOf(inputSchema), after).misfit
  if (misfit !== undefined) throw invalid('changes', `The arguments don’t fit the tool’s schema: ${misfit}.`)
  return after
}

const invalid = (path: string, message: string): ApiError =>
  new ApiError('validation_failed', message, { issues: [{ path, message }] })
