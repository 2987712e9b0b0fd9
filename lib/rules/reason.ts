import { limits } from '#lib/limits.ts'
import { isVisible } from '#lib/text/visible-text.ts'

/** Why `text` can't be the reason of an action, or undefined when it can. */
export function whyNotReason(text: string): string | undefined {
  if (!isVisible(text)) return 'Enter a reason.'
  if (text.trim().length > limits.reason)
    return `A reason can have at most ${limits.reason.toLocaleString('en')} characters.`
  return undefined
}
