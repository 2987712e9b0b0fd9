import { ApiError, agentNotFound } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { inputProblems } from '#lib/rules/manifest/input-schema.ts'
import { ExecuteInput, ExecuteOutput } from '#lib/schemas/executions.ts'
import { asStored } from '#server/executions/state/load.ts'
import { findExecutionByKey, insertExecution } from '#server/executions/state/store.ts'
import { foreseeFirstCall, standing, takeFirstTurn } from '#server/executions/steps/first-turn.ts'
import { describeInput, keepFiles } from '#server/files/use.ts'
import { findErased } from '#server/kernel/content/erased-store.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { newId, newTraceId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { hasActiveBinding } from '#server/policies/decisions/decide.ts'
import type { ReleaseContent } from '#server/releases/content.ts'
import { findReleased } from '#server/releases/released-store.ts'
import { executionQueue } from './execution-queue.ts'
import { newRows, writeStart } from './state/known-store.ts'
import { advance } from './steps/advance.ts'

/**
 * Starts an agent's active release. Each call is decided when it is made; this checks that a policy governs the agent, and
 * decides the first call. When that call is denied, the execution is stored as `denied` and the response is 403 `policy_denied`.
 */
export const execute = mutation({
  permission: 'execution:start',
  input: ExecuteInput,
  output: ExecuteOutput,
  audit: (input, output) => ({
    action: 'execution.started',
    resource:
      output === undefined ? { type: 'agent', id: input.agentId } : { type: 'execution', id: output.executionId },
    details: { agentId: input.agentId, environment: input.environment },
  }),
  async run({ tx, tenant, principal, input, unforeseen, repeated, answerWith }) {
    // Sent concurrently, so that the queries take one round trip.
    const { idempotencyKey } = input
    const [{ agent, release, bindings }, before] = await Promise.all([
      findReleased(tx, { tenantId: tenant.id, agentId: input.agentId, environment: input.environment }),
      idempotencyKey === undefined ? undefined : findExecutionByKey(tx, tenant.id, principal.memberId, idempotencyKey),
    ])
    // Whatever has changed since then, a repeated request gets the answer of the first.
    if (before !== undefined) return await again(before)
    if (agent === undefined) throw agentNotFound()
    if (agent.status === 'suspended' || agent.status === 'retired')
      throw refuse('agent_suspended', `The agent is ${agent.status}.`)
    const running = { id: agent.id, version: release?.version ?? '' }
    if (!(await hasActiveBinding(tx, tenant.id, running, input.environment, { revision: bindings })))
      throw refuse(
        'policy_binding_required',
        `No approved policy binding governs ${agent.name} in ${input.environment}.`,
      )
    if (release === undefined)
      throw refuse('release_required', `No approved release of ${agent.name} is active in ${input.environment}.`)

    const { content } = release
    if (content.spec.runtime.observe !== undefined)
      throw refuse(
        'runs_elsewhere',
        `${agent.name} is an external agent. It runs outside Countersign and calls policies.evaluate, so it cannot be started here.`,
      )
    requireInput(content.spec, input.input as JsonObject)
    const row = {
      tenantId: tenant.id,
      id: newId(),
      agentId: agent.id,
      releaseId: release.id,
      environment: input.environment,
      input: await describeInput(tx, tenant.id, input.input as JsonObject),
      idempotencyKey: idempotencyKey ?? null,
      traceId: newTraceId(),
      startedBy: principal.memberId,
    }
    const at = (await databaseClock(tx))()
    const loaded = asStored(tenant, row, at, { agent, release, content })
    const job = { tenantId: tenant.id, id: row.id }
    const { queue } = runtime()
    // Run again, the first call may be made (takeFirstTurn): a worker decides it.
    const foreseen = unforeseen === undefined ? await foreseeFirstCall(tx, loaded) : undefined
    if (foreseen?.decidesNow !== false) {
      // A concurrent request has started it.
      if (!(await insertExecution(tx, row, at)))
        return await again(await findExecutionByKey(tx, tenant.id, principal.memberId, idempotencyKey ?? ''))
      await keepFiles(tx, tenant.id, row.id, 'input', row.input)
      const { status, refusal } =
        foreseen === undefined
          ? { status: loaded.status, refusal: undefined }
          : await takeFirstTurn(tx, tenant.id, row.id)
      if (refusal !== undefined) answerWith(refusal)
      if (status === 'queued') await queue.enqueueFirst(tx, executionQueue, job)
      return { executionId: row.id, status, traceId: row.traceId }
    }
    let stored: { id: string; taken: boolean } | undefined
    const rows = newRows()
    await queue.enqueueFirst(tx, executionQueue, job, {
      run: () => advance(job, { loaded, rows, ahead: foreseen.ahead }),
      store: (one) => {
        stored = one
      },
    })
    await writeStart(tx, row, at, rows, stored && { ...stored, queue: executionQueue, data: job })
    await keepFiles(tx, tenant.id, row.id, 'input', row.input)
    return { executionId: row.id, status: loaded.status, traceId: row.traceId }

    async function again(first: Awaited<ReturnType<typeof findExecutionByKey>>) {
      const same =
        first !== undefined &&
        first.agentId === input.agentId &&
        first.environment === input.environment &&
        (canonicalJson(first.input as JsonObject) ===
          canonicalJson(await describeInput(tx, tenant.id, input.input as JsonObject)) ||
          // An erased input cannot be compared, so the key alone decides.
          (await findErased(tx, tenant.id, 'execution', first.id)).length > 0)
      if (!same) throw new ApiError('event_conflict', 'This idempotencyKey was already used with a different input.')
      repeated()
      const { status, refusal } = await standing(tx, tenant.id, first.id)
      if (refusal !== undefined) answerWith(refusal)
      return { executionId: first.id, status, traceId: first.traceId }
    }
  },
})

/** Throws unless the input is what the manifest's `inputSchema` describes. */
function requireInput({ inputSchema }: ReleaseContent['spec'], input: JsonObject): void {
  const problems = inputSchema === undefined ? [] : inputProblems(inputSchema, input)
  const [first] = problems
  if (first === undefined) return
  const issues = problems
    .slice(0, mostIssues)
    .map(({ path, message }) => ({ path: ['input', ...path].join('.'), message }))
  throw new ApiError(
    'validation_failed',
    `The input does not match the manifest: ${first.path.join('.')}: ${first.message}`,
    {
      issues,
    },
  )
}

const mostIssues = 50
