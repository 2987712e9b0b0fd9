import { type Stage, stagesIn } from '#lib/rules/approval-terms.ts'
import { splitRules, tokensOf } from './split-rules.ts'

/** The approver groups that one rule names, and the UTF-16 index in the source of the annotation's name that says so. */
export type NamedGroups = { stages: Stage[]; index: number }

/** Those of a sound source, rule by rule. A rule that names no group is about that of the manifest. */
export function namedGroups(source: string): NamedGroups[] {
  return splitRules(source).flatMap(({ text, start }) => {
    const found = annotationsOf(text)
    const [stages, group] = [found.get('approval_stages'), found.get('approval_group')]
    if (stages !== undefined) return [{ stages: stagesIn(stages.value) ?? [], index: start + stages.index }]
    if (group === undefined) return []
    const quorum = Number(found.get('approval_quorum')?.value ?? 1)
    return [{ stages: [{ group: group.value, quorum }], index: start + group.index }]
  })
}

/** The annotations of a rule: those of approvals have values without escapes. */
function annotationsOf(rule: string): Map<string, { value: string; index: number }> {
  const tokens = [...tokensOf(rule)]
  const found = new Map<string, { value: string; index: number }>()
  for (const [place, { text }] of tokens.entries()) {
    const [name, opening, value, closing] = tokens.slice(place + 1, place + 5)
    if (text !== '@' || name === undefined || value === undefined) continue
    if (opening?.text !== '(' || closing?.text !== ')') continue
    found.set(name.text, { value: value.text.slice(1, -1), index: name.index })
  }
  return found
}
