import { createHash } from 'node:crypto'
import { ApiError, agentNotFound } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { ExecutionStatus } from '#lib/schemas/executions.ts'
import { GatewayCallInput, GatewayCallOutput } from '#lib/schemas/gateway.ts'
import { findExecutionByKey, insertExecution, setStep } from '#server/executions/state/store.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { newId, newTraceId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { hasActiveBinding } from '#server/policies/decisions/decide.ts'
import { findReleased } from '#server/releases/released-store.ts'
import { executionQueue } from '../execution-queue.ts'
import { gatewayStepId } from '../runtimes/next-gateway.ts'
import { takeAwaited } from './gateway-store.ts'
import { requireReach } from './require-reach.ts'

/**
 * Starts one tool call of an external agent as an execution of its own, which is decided, approved, called and recorded like
 * any other. Until the answer of a call has been taken, an identical call of the same caller returns it; with a key supplied by
 * the caller, it always does. Throws `event_conflict` for a key that was used for another call.
 */
export const startCall = mutation({
  permission: 'execution:start',
  connectionTokens: 'gateway',
  input: GatewayCallInput,
  output: GatewayCallOutput,
  audit: (input, output) => ({
    action: 'execution.started',
    resource:
      output === undefined ? { type: 'agent', id: input.agentId } : { type: 'execution', id: output.executionId },
    details: {
      agentId: input.agentId,
      environment: input.environment,
      tool: `${input.server}/${input.tool}`,
      via: 'mcp',
    },
  }),
  async run({ tx, tenant, principal, input, repeated }) {
    const { agentId, environment } = input
    const { agent, release, bindings } = await findReleased(tx, { tenantId: tenant.id, agentId, environment })
    requireReach(principal, agent?.name)
    if (agent === undefined) throw agentNotFound()
    const before =
      input.idempotencyKey === undefined
        ? // The answer to a call as a task is its handle: the result is not taken yet.
          await (input.asTask ? findExecutionByKey : takeAwaited)(tx, tenant.id, principal.memberId, callKey(input))
        : await sameCall(input.idempotencyKey)
    if (before !== undefined) return again(before)
    if (agent.status === 'suspended' || agent.status === 'retired')
      throw refuse('agent_suspended', `The agent is ${agent.status}.`)
    if (release === undefined)
      throw refuse('release_required', `No approved release of ${agent.name} is active in ${input.environment}.`)
    const running = { id: agent.id, version: release.version }
    if (!(await hasActiveBinding(tx, tenant.id, running, environment, { revision: bindings })))
      throw refuse(
        'policy_binding_required',
        `No approved policy binding governs ${agent.name} in ${input.environment}.`,
      )
    const id = newId()
    const row = {
      tenantId: tenant.id,
      id,
      agentId: agent.id,
      releaseId: release.id,
      environment: input.environment,
      input: inputOf(input),
      idempotencyKey: input.idempotencyKey === undefined ? callKey(input) : ownKey(input.idempotencyKey),
      traceId: newTraceId(),
      startedBy: principal.memberId,
    }
    const isNew = await insertExecution(tx, row, (await databaseClock(tx))())
    // A concurrent request has started the same call.
    const first = isNew
      ? undefined
      : input.idempotencyKey === undefined
        ? await findExecutionByKey(tx, tenant.id, principal.memberId, callKey(input))
        : await sameCall(input.idempotencyKey)
    if (first !== undefined) return again(first)
    await setStep(tx, tenant.id, id, gatewayStepId, { status: 'decided' })
    await runtime().queue.enqueue(tx, executionQueue, { tenantId: tenant.id, id })
    return { executionId: id, status: 'queued' as const, isRepeated: false }

    function again({ id: executionId, status }: { id: string; status: string }) {
      repeated()
      return { executionId, status: ExecutionStatus.parse(status), isRepeated: true }
    }

    async function sameCall(key: string) {
      const known = await findExecutionByKey(tx, tenant.id, principal.memberId, ownKey(key))
      if (known === undefined) return undefined
      const same =
        known.agentId === input.agentId &&
        known.environment === input.environment &&
        canonicalJson(known.input as JsonObject) === canonicalJson(inputOf(input))
      if (!same) throw new ApiError('event_conflict', 'This idempotency key was already used for a different call.')
      return known
    }
  },
})

const inputOf = ({ server, tool, arguments: args }: { server: string; tool: string; arguments: unknown }) => ({
  server,
  tool,
  arguments: args as JsonObject,
})

/** Separates the keys of calls from those of executions.execute. */
const ownKey = (key: string): string => `mcp-key:${key}`

/** Identifies identical calls, by the bytes that an approval binds as far as the caller chooses them. */
export const callKey = (input: {
  agentId: string
  environment: string
  server: string
  tool: string
  arguments: unknown
}): string => {
  const { agentId, environment, server, tool } = input
  const call: JsonObject = { agentId, environment, server, tool, arguments: input.arguments as JsonObject }
  return `mcp:${createHash('sha256').update(canonicalJson(call)).digest('hex')}`
}
