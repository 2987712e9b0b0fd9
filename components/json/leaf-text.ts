import * as t from '#components/texts/json/en.ts'
import * as ui from '#components/texts/ui/en.ts'
import type { JsonValue } from '#lib/json.ts'
import { erasedText } from '#lib/rules/erased.ts'

/** What the page says in place of a value. */
const ownWords: readonly string[] = [t.emptyText, t.emptyList, t.emptyObject, ui.erased, erasedText]
const ownBeginning = ui.masked({ shape: '' }).trim()

/**
 * A value without members as one text: a string as it is, another value as JSON. No two values have the same text, and none has one that
 * the page itself says: a string that could be read as something else is quoted.
 */
export const leafText = (value: JsonValue): string =>
  typeof value === 'string' && !misleads(value) ? value : JSON.stringify(value)

const misleads = (text: string): boolean => isOwn(text) || isLeaf(text)

/** Whether a text reads like something that the page itself says. */
export const isOwn = (text: string): boolean =>
  text === '' || text.startsWith('"') || ownWords.includes(text) || text.startsWith(ownBeginning)

/** Whether a text reads like a value: `true`, in any case, `1`, `[]`. Objects with members have a row for each of them. */
function isLeaf(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.toLowerCase())
    return typeof value !== 'object' || value === null || Object.keys(value).length === 0
  } catch {
    return false
  }
}
