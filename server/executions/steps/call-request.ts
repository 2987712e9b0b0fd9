import type { JsonObject } from '#lib/json.ts'
import { costOf } from '#lib/rules/cost.ts'
import { mostOf } from '#server/executions/runtimes/budget.ts'
import { countToolCalls } from '#server/executions/runtimes/count-calls.ts'
import {
  allowedAgents,
  allowedModels,
  callKind,
  modelNamed,
  modelProvider,
} from '#server/executions/runtimes/external.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { ToolStep } from '#server/executions/state/next-step.ts'
import type { PolicyDecision } from '#server/policies/decisions/decide.ts'
import type { GovernedRequest } from '#server/policies/decisions/request.ts'
import { agentFacts } from '#server/releases/agent-facts.ts'
import type { ReleasedTool } from '#server/releases/content.ts'

/** An approval granted for a step, with its tokens and the deadline extended by the wait. */
export type Granted = { approvalId: string; tokens: string[]; deadlineAt: Date }

/** A tool call to be decided. */
export type ProposedCall = { step: ToolStep; arguments: JsonObject; index: number; granted?: Granted }

/** The request to the decision point. */
export const requestOf = (
  loaded: Loaded,
  tool: ReleasedTool,
  { step, arguments: args, granted }: { step: ToolStep; arguments: JsonObject; granted?: Granted },
): GovernedRequest => {
  const { row, content, steps } = loaded
  const facts = agentFacts(content)
  const call = {
    agent: {
      ...facts,
      allowedTools: [...facts.allowedTools, ...allowedAgents(content)],
      allowedModels: allowedModels(content),
    },
    releaseId: row.releaseId,
    releaseDigest: row.releaseDigest,
    environment: row.environment,
    executionId: row.id,
    stepId: step.id,
    toolCalls: countToolCalls({ content, steps }),
    fulfilled: granted?.tokens ?? [],
  }
  if (callKind(tool) === 'model') {
    // Rules see only the size of the messages; their digest binds the approval.
    const { messages: _digest, ...size } = args
    const model = modelNamed(content, tool.name)
    return {
      ...call,
      model: { provider: modelProvider, name: tool.name },
      arguments: size,
      ...(model === undefined ? {} : { most: costOf(mostOf(loaded, step.id, model), model.prices) }),
    }
  }
  const { server, name, sideEffect, idempotent, inputSchema, digest } = tool
  return { ...call, tool: { server, name, sideEffect, idempotent, inputSchema, digest }, arguments: args }
}

/** The name of the tool or model in policies. */
const resourceOf = ({ server, name }: ReleasedTool): string =>
  server === 'model' ? `${modelProvider}/${name}` : `${server}/${name}`

/** The payload that an approval binds. A difference of one byte changes its digest. */
export const payloadOf = (
  { tenant, row }: Loaded,
  tool: ReleasedTool,
  args: JsonObject,
  decision: PolicyDecision,
): JsonObject => ({
  tenant: tenant.externalId,
  release: row.releaseDigest,
  environment: row.environment,
  action: callKind(tool) === 'model' ? 'ModelCall' : 'ToolCall',
  resource: resourceOf(tool),
  arguments: args,
  policyVersion: decision.policies.map((policy) => ({
    name: policy.name,
    version: policy.version,
    digest: policy.digest,
  })),
  requester: row.startedBy,
})
