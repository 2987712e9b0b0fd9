import type { JsonObject } from '#lib/json.ts'

/** The names of an installation that a template's text contains. */
export type TemplateNames = { tool: string; group: string }

/** A policy to start from, with calls that show what it decides. What it decides is computed, not stated here. */
export type PolicyTemplate = {
  key: string
  title: string
  /** When to choose it, in one line. */
  use: string
  /** The proposed name and purpose of the policy. */
  name: string
  purpose: string
  names: TemplateNames
  sideEffect: 'write' | 'irreversible'
  /** The JSON Schema of the tool's arguments, as the text expects it. */
  inputSchema: JsonObject
  source(names: TemplateNames): string
  examples: readonly { title: string; arguments: JsonObject; environment?: string; earlierCalls?: number }[]
}

/** The rule that each template begins with: a call that no rule permits is denied. */
export const permitTool = (tool: string): string => `// Calls that no rule permits are denied.
@id("listed-agents")
@title("Agents with the tool in their manifest may call it")
permit (
  principal,
  action == Countersign::Action::"${tool}",
  resource
)
when { principal.allowedTools.contains(resource) };`

/** A soft forbid that people lift; `when` is the condition, or empty for every call. */
export const askPeople = (
  id: string,
  {
    tool,
    title,
    message,
    terms,
    when = '',
  }: { tool: string; title: string; message: string; terms: string; when?: string },
): string => `@id("${id}")
@title("${title}")
@obligation("approval")
${terms}
@message("${message}")
forbid (
  principal,
  action == Countersign::Action::"${tool}",
  resource
)${when === '' ? '' : `\nwhen { ${when} }`}
unless { context.fulfilled.contains("approval:${id}") };`

/** A forbid that no one can lift. */
export const never = (
  id: string,
  { tool, title, message, code, when }: { tool: string; title: string; message: string; code: string; when: string },
): string => `@id("${id}")
@title("${title}")
@code("${code}")
@severity("high")
@message("${message}")
forbid (
  principal,
  action == Countersign::Action::"${tool}",
  resource
)
when { ${when} };`

/** At most `limit` calls in a window, for each agent in each environment. */
export const atMost = (
  id: string,
  { tool, title, limit, window }: { tool: string; title: string; limit: number; window: string },
): string => `@id("${id}")
@title("${title}")
@obligation("budget")
@budget_limit("${limit}")
@budget_unit("calls")
@budget_scope("agent")
@budget_window("${window}")
forbid (
  principal,
  action == Countersign::Action::"${tool}",
  resource
)
unless { context.fulfilled.contains("budget:${id}") };`

export const rulesText = (rules: readonly string[]): string => `${rules.join('\n\n')}\n`
