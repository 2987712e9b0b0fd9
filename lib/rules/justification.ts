import { limits } from '#lib/limits.ts'
import { visibleCharacters } from '#lib/text/visible-text.ts'

const { min, max, different } = limits.justification

/** What a justification has to be, as the end of a sentence that starts with "A justification must have". */
const rule = `${min} to ${max.toLocaleString('en')} characters, at least ${min} of them visible and ${different} different`
export const justificationRule = `A justification must have ${rule}.`

/**
 * Whether `text` justifies showing sensitive values: the same rule in every body, header and form. It can't be satisfied by
 * holding down a key.
 */
export function isJustification(text: string): boolean {
  const visible = visibleCharacters(text)
  return text.trim().length <= max && visible.length >= min && new Set(visible).size >= different
}
