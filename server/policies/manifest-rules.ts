import { manifestRulePrefix } from './annotations.ts'
import { sourceDigest } from './create-version.ts'
import type { ToolCallRequest } from './request.ts'
import type { DecidingPolicy } from './soft-forbid.ts'

/** What a manifest's `requireApproval` stands for: one soft forbid for each tool. Undefined when it lists none. */
export function manifestPolicy(agent: ToolCallRequest['agent']): DecidingPolicy | undefined {
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

/** A Cedar string literal: what is not plain is written as a code point. */
const cedarString = (text: string): string =>
  `"${Array.from(text, (character) =>
    /[\p{L}\p{N} ._/:'-]/u.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  ).join('')}"`
