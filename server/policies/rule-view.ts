import type { RuleView } from '#lib/schemas/policies/rules.ts'
import { describeRules } from './engine/engine.ts'
import type { PolicyText } from './engine/terms.ts'
import { splitRules } from './language/split-rules.ts'

/** The rules of a source for readers, in its order. */
export async function ruleViews(tenantId: string, policy: PolicyText): Promise<RuleView[]> {
  const starts = splitRules(policy.source).map(({ start }) => start)
  return (await describeRules(tenantId, policy)).map(({ order, text, annotations, words, effect, onlyAgent }) => ({
    rule: annotations.id ?? '',
    effect,
    title: annotations.title ?? null,
    message: annotations.message ?? null,
    words: words ?? null,
    obligation: annotations.obligation ?? null,
    parameters: parametersOf(annotations),
    onlyAgent: onlyAgent ?? null,
    line: policy.source.slice(0, starts[order] ?? 0).split('\n').length,
    text,
  }))
}

/** `approval_group` of an approval is its `group`. */
function parametersOf({ obligation, ...annotations }: Record<string, string>): Record<string, string> {
  const prefix = `${obligation}_`
  return Object.fromEntries(
    Object.entries(annotations).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  )
}
