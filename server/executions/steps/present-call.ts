import type { JsonObject, JsonValue } from '#lib/json.ts'
import { argumentRows, describeEffect } from '#lib/rules/effect.ts'
import type { Card, Presentation } from '#lib/schemas/approvals.ts'
import { fillCard } from '#server/approvals/fill-card.ts'
import { gatewayStep, isGatewayCall } from '#server/executions/runtimes/next-gateway.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { scopeOf } from '#server/executions/state/next-step.ts'
import type { PolicyDecision } from '#server/policies/decisions/decide.ts'
import type { ReleaseContent, ReleasedTool } from '#server/releases/content.ts'

/** The approval page's description of a tool call. `maskedArguments` are free of sensitive values; the rest is pinned content. */
export function presentCall(
  loaded: Loaded,
  call: { tool: ReleasedTool; maskedArguments: JsonObject; index: number; decision: PolicyDecision },
): Presentation {
  const { content, row } = loaded
  const { tool, maskedArguments, index, decision } = call
  const effect = describeEffect(tool.title, maskedArguments, tool.inputSchema)
  const steps = content.spec.runtime.steps ?? []
  const following = steps.slice(index + 1).map((step) => step.id)
  return {
    ...effect,
    ...presentDecision({ content, tool, maskedArguments, decision }),
    effects: [
      `${tool.server}.${tool.name} is called once, with exactly the arguments below.`,
      ...(tool.description === '' ? [] : [`The tool’s description of itself: “${tool.description}”`]),
      isGatewayCall(loaded.steps)
        ? 'The program that asked gets the result: immediately if it still waits, otherwise when it asks again.'
        : index < 0
          ? 'The agent then continues with the result of the call.'
          : following.length === 0
            ? `The execution then ends. This is step ${index + 1} of ${steps.length}.`
            : `The execution continues after step ${index + 1} of ${steps.length}: ${following.join(', ')}.`,
    ],
    onReject: isGatewayCall(loaded.steps)
      ? 'The tool is not called. The program that asked gets an error that says so.'
      : 'The execution ends as rejected and the tool is not called.',
    onExpiry: 'The request expires and counts as rejected. The tool is not called.',
    action: 'ToolCall',
    resource: `${tool.server}/${tool.name}`,
    environment: row.environment,
    agent: {
      id: row.agentId,
      name: row.agentName,
      displayName: row.agentDisplayName,
      version: content.agent.version,
    },
    executionId: row.id,
    traceId: row.traceId,
    position: index < 0 ? null : `step ${index + 1} of ${steps.length}`,
    subject: null,
    card: cardOf(loaded),
  }
}

/** Everyone who may read the request sees the card, so its values are masked first. */
function cardOf(loaded: Loaded): Card | undefined {
  const { content, input, steps, mask } = loaded
  const { approvalCard } = content.spec
  if (approvalCard === undefined) return undefined
  if (isGatewayCall(steps)) return cardOfGatewayCall(loaded)
  const records = steps.map(({ stepId, status, output }) => ({ stepId, status, output: mask(output as JsonValue) }))
  return fillCard(approvalCard, scopeOf(records, mask(input)))
}

/**
 * A call of its own does not have the plan's steps or its input. What an agent elsewhere knows is in the arguments, for which the card
 * of its manifest is written.
 */
function cardOfGatewayCall({ content, input, mask }: Loaded): Card | undefined {
  const { approvalCard, runtime } = content.spec
  const args = mask(gatewayStep(input).tool.arguments) as JsonObject
  const elsewhere = runtime.observe !== undefined
  return fillCard(
    approvalCard,
    { input: elsewhere ? { ...args, ...(mask(input) as JsonObject) } : (mask(input) as JsonObject), steps: {} },
    elsewhere ? 'facts of steps' : 'unknown facts',
  )
}

/** The parts of a call's description that don't depend on who makes the call. `tool` is undefined for a model. */
export function presentDecision(call: {
  content: ReleaseContent
  tool: ReleasedTool | undefined
  maskedArguments: JsonObject
  decision: PolicyDecision
}) {
  const { content, tool, maskedArguments, decision } = call
  const [reason] = decision.reasons
  const irreversible = tool?.sideEffect === 'irreversible'
  const tier = content.spec.risk?.tier
  return {
    onEscalate: 'The escalation group decides instead. Votes already cast no longer count.',
    reversible: !irreversible,
    irreversibleNote: irreversible ? 'This cannot be undone from the console.' : null,
    risk: tier === 'prohibited' ? 'critical' : (tier ?? 'medium'),
    arguments: argumentRows(maskedArguments),
    policy:
      reason === undefined
        ? null
        : {
            name: reason.policyName,
            version: reason.policyVersion,
            rule: reason.rule,
            message: reason.message,
            source: reason.source,
            words: decision.approval?.words,
          },
  } satisfies Partial<Presentation>
}
