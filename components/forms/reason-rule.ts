import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/forms/en.ts'
import { limits } from '#lib/limits.ts'
import { isVisible } from '#lib/text/visible-text.ts'

/** Why `text` can't be the reason of an action, or undefined when it can. The API has the same rule (lib/schemas). */
export function whyNotReason(text: string): string | undefined {
  if (!isVisible(text)) return t.reasonMissing
  if (text.trim().length > limits.reason) return t.reasonTooLong({ limit: formatNumber(limits.reason) })
  return undefined
}
