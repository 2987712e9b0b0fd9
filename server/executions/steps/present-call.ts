import type { JsonObject } from '#lib/json.ts'
import { argumentRows, describeEffect } from '#lib/rules/effect.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { PolicyDecision } from '#server/policies/decisions/decide.ts'
import type { ReleasedTool } from '#server/releases/content.ts'

/** The approval page's description of a tool call. `maskedArguments` are free of sensitive values; the rest is pinned content. */
export function presentCall(
  loaded: Loaded,
  call: { tool: ReleasedTool; maskedArguments: JsonObject; index: number; decision: PolicyDecision },
): Presentation {
  const { content, row } = loaded
  const { tool, maskedArguments, index, decision } = call
  const effect = describeEffect(tool.title, maskedArguments)
  const steps = content.spec.runtime.steps ?? []
  const following = steps.slice(index + 1).map((step) => step.id)
  const [rule] = decision.reasons
  const irreversible = tool.sideEffect === 'irreversible'
  const tier = content.spec.risk?.tier
  return {
    ...effect,
    effects: [
      `${tool.server}.${tool.name} is called once, with exactly the arguments below.`,
      ...(tool.description === '' ? [] : [`The tool’s description of itself: “${tool.description}”`]),
      index < 0
        ? 'The agent then continues with the result of the call.'
        : following.length === 0
          ? `The execution then ends. This is step ${index + 1} of ${steps.length}.`
          : `The execution continues after step ${index + 1} of ${steps.length}: ${following.join(', ')}.`,
    ],
    onReject: 'The execution ends as rejected and the tool is not called.',
    onExpiry: 'The request expires and counts as rejected. The tool is not called.',
    onEscalate: 'The escalation group decides instead. Votes already cast no longer count.',
    reversible: !irreversible,
    irreversibleNote: irreversible ? 'This cannot be undone from the console.' : null,
    risk: tier === 'prohibited' ? 'critical' : (tier ?? 'medium'),
    action: 'ToolCall',
    resource: `${tool.server}/${tool.name}`,
    environment: row.environment,
    arguments: argumentRows(maskedArguments),
    agent: {
      id: row.agentId,
      name: row.agentName,
      displayName: row.agentDisplayName,
      version: content.agent.version,
    },
    policy:
      rule === undefined
        ? null
        : {
            name: rule.policyName,
            version: rule.policyVersion,
            rule: rule.rule,
            message: rule.message,
            source: rule.source,
          },
    executionId: row.id,
    traceId: row.traceId,
    position: index < 0 ? null : `step ${index + 1} of ${steps.length}`,
    subject: null,
  }
}
