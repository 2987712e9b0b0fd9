import type { z } from 'zod'
import { agentNotFound } from '#lib/errors.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { costOf } from '#lib/rules/cost.ts'
import { modelsOf } from '#lib/rules/models.ts'
import type { RequestApprovalInput } from '#lib/schemas/external-agents.ts'
import { allowedModels, modelProvider } from '#server/executions/runtimes/external.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { refuse } from '#server/kernel/operation.ts'
import { decide, type PolicyDecision } from '#server/policies/decisions/decide.ts'
import { maskedArguments } from '#server/policies/decisions/mask-arguments.ts'
import type { GovernedRequest } from '#server/policies/decisions/request.ts'
import { agentFacts } from '#server/releases/agent-facts.ts'
import type { ReleaseContent, ReleasedTool } from '#server/releases/content.ts'
import { findReleased } from '#server/releases/released-store.ts'

type Call = z.infer<typeof RequestApprovalInput>
type Context = { tx: Transaction; tenant: Tenant; principal: Principal }

/** A call of an external agent, under its active release. */
export type ExternalCall = {
  call: Call
  agent: { id: string; name: string; displayName: string }
  content: ReleaseContent
  release: { id: string; digest: string }
  /** Undefined for a model. */
  tool: ReleasedTool | undefined
}

/** Throws `not_found`; refuses calls that are not released and agents that are suspended or retired. */
export async function externalCall({ tx, tenant }: Context, call: Call): Promise<ExternalCall> {
  const { agentId, environment } = call
  const { agent, release } = await findReleased(tx, { tenantId: tenant.id, agentId, environment })
  if (agent === undefined) throw agentNotFound()
  if (agent.status === 'suspended' || agent.status === 'retired')
    throw refuse('agent_suspended', `The agent is ${agent.status}.`)
  if (release === undefined)
    throw refuse('release_required', `No approved release of ${agent.name} is active in ${environment}.`)
  const { content } = release
  const tool = content.tools.find(({ server, name }) => `${server}/${name}` === call.resource)
  if (call.action === 'ToolCall' && tool === undefined)
    throw refuse('policy_denied', 'The active release does not include this tool.')
  return {
    call,
    agent,
    content,
    release: { id: release.id, digest: release.digest },
    tool: call.action === 'ToolCall' ? tool : undefined,
  }
}

/** The same decision as for an execution, recorded with the member who requested it. `withCommit`: as for `decide`. */
export async function decideExternal(
  { tx, tenant, principal }: Context,
  { call, content, release, tool }: ExternalCall,
  fulfilled: string[],
  { withCommit = false }: { withCommit?: boolean } = {},
): Promise<{ decision: PolicyDecision; leaving: JsonObject }> {
  const base = {
    agent: { ...agentFacts(content), allowedModels: allowedModels(content) },
    releaseId: release.id,
    releaseDigest: release.digest,
    environment: call.environment,
    arguments: call.arguments,
    ...(call.context.stepId === undefined ? {} : { stepId: call.context.stepId }),
    requestedBy: principal.memberId,
    toolCalls: call.context.toolCalls,
    fulfilled,
  }
  const decision = await decide(tx, tenant, requestOf(base), { withCommit })
  return { decision, leaving: maskedArguments(call.arguments, decision.masks) }

  function requestOf(known: typeof base): GovernedRequest {
    if (tool === undefined) {
      const [provider = '', ...name] = call.resource.split('/')
      return { ...known, model: { provider, name: name.join('/') }, ...mostOf(call, content) }
    }
    const { server, name, sideEffect, idempotent, inputSchema, digest } = tool
    return { ...known, tool: { server, name, sideEffect, idempotent, inputSchema, digest } }
  }
}

/**
 * The most that an external agent’s model call can use, if the call states its input and output size: a character has at most
 * four bytes, and a token at least one. Prices are those in the manifest.
 */
function mostOf({ resource, arguments: { inputCharacters, maxOutputTokens } }: Call, content: ReleaseContent) {
  if (!isCount(inputCharacters) || !isCount(maxOutputTokens)) return {}
  const model = modelsOf(content.spec).find((one) => `${modelProvider}/${one.model}` === resource)
  return { most: costOf({ input: 4 * inputCharacters, output: maxOutputTokens }, model?.prices) }
}

/** Limits a count to values that a database integer can hold in millionths. */
const isCount = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1_000_000_000

/** The payload that an approval binds. A difference of one byte changes its digest. */
export const externalPayload = (
  { tenant, principal }: Pick<Context, 'tenant' | 'principal'>,
  { call, release }: ExternalCall,
  leaving: JsonObject,
  decision: PolicyDecision,
): JsonObject => ({
  tenant: tenant.externalId,
  release: release.digest,
  environment: call.environment,
  action: call.action,
  resource: call.resource,
  arguments: leaving,
  policyVersion: versionsOf(decision),
  requester: principal.memberId,
})

export const versionsOf = ({ policies }: PolicyDecision) =>
  policies.map(({ name, version, digest }) => ({ name, version, digest }))

/** The decision in the form that each operation returns. */
export const answerOf = (decision: PolicyDecision) => ({
  decisionId: decision.decisionId,
  effect: decision.effect,
  obligations: decision.obligations,
  reasons: decision.reasons,
  policyVersion: versionsOf(decision),
})

/** The resource and details of the audit record of a decision. `more` are details of one operation. */
export const auditedDecision = <More extends object>(
  call: Call,
  output: { decisionId: string; effect: PolicyDecision['effect'] } | undefined,
  more: More,
) => ({
  resource:
    output === undefined ? { type: 'agent', id: call.agentId } : { type: 'policy_decision', id: output.decisionId },
  details: {
    agentId: call.agentId,
    environment: call.environment,
    action: call.action,
    resource: call.resource,
    effect: output?.effect,
    ...more,
  },
})
