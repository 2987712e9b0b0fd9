import type { PolicyText } from '#server/policies/engine/terms.ts'
import { manifestRulePrefix } from '#server/policies/language/annotations.ts'
import { cedarString } from '#server/policies/language/cedar-string.ts'
import { sourceDigest } from '#server/policies/language/source-digest.ts'
import type { DecidingPolicy } from './deciding-set.ts'
import type { ToolCallRequest } from './request.ts'

/**
 * The policy generated from a manifest's `requireApproval`: one soft forbid per tool. Undefined when it lists none. Decisions
 * and approval tokens contain the digest of this source, so its bytes must not change.
 */
export function manifestPolicy(agent: ToolCallRequest['agent']): (DecidingPolicy & PolicyText) | undefined {
  if (agent.requireApproval.length === 0) return undefined
  const source = [...new Set(agent.requireApproval)].sort().map(ruleFor).join('\n\n')
  return {
    policyId: 'manifest',
    name: `manifest of ${agent.name} ${agent.version}`,
    version: 0,
    digest: sourceDigest(source),
    source,
  }
}

function ruleFor(tool: string): string {
  const id = cedarString(`${manifestRulePrefix}${tool}`)
  const token = cedarString(`approval:${manifestRulePrefix}${tool}`)
  const message = cedarString(`The agent's manifest asks for an approval of each call of ${tool}.`)
  return [
    `@id(${id})`,
    '@obligation("approval")',
    `@message(${message})`,
    `forbid (principal, action in Countersign::Action::"ToolCall", resource == Countersign::Tool::${cedarString(tool)})`,
    `unless { context.fulfilled.contains(${token}) };`,
  ].join('\n')
}
