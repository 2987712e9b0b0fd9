import type { JsonValue } from '#lib/json.ts'
import { erasedText } from '#lib/rules/erased.ts'

/** Whether a text holds what is looked for. */
export type Finder = (text: string) => boolean

/** Finds `subject` in texts whatever its case, also where the text is JSON, or JSON within JSON. */
export function finderOf(subject: string): Finder {
  const wanted = plain(subject)
  const forms = [...new Set([wanted, quoted(wanted), quoted(quoted(wanted))])]
  return (text) => {
    const within = plain(text)
    return forms.some((form) => within.includes(form))
  }
}

const plain = (text: string): string => text.normalize('NFC').toLowerCase()

/** As it stands inside of JSON. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * A copy of `value` in which each text, number and name of a member that holds the subject is replaced, and how many they
 * were. What stands at a member of `kept` stays as it is: the product's own words, which have a form to keep.
 */
export function withoutSubject(
  value: JsonValue,
  holds: Finder,
  kept: ReadonlySet<string> = new Set(),
): { value: JsonValue; texts: number } {
  let texts = 0
  const gone = (): string => {
    texts += 1
    return erasedText
  }
  const walk = (at: JsonValue): JsonValue => {
    if (typeof at === 'string') return holds(at) ? gone() : at
    if (typeof at === 'number') return holds(String(at)) ? gone() : at
    if (typeof at !== 'object' || at === null) return at
    if (Array.isArray(at)) return at.map(walk)
    // fromEntries defines own members, so a key such as __proto__ stays a key.
    return Object.fromEntries(
      Object.entries(at).map(([key, inner]): [string, JsonValue] =>
        kept.has(key) ? [key, inner] : [holds(key) ? gone() : key, isBytes(key, inner, holds) ? gone() : walk(inner)],
      ),
    )
  }
  return { value: walk(value), texts }
}

/** Bytes of an event are base64, in which no text is found. */
const isBytes = (key: string, value: JsonValue, holds: Finder): boolean =>
  key === '$base64' && typeof value === 'string' && holds(Buffer.from(value, 'base64').toString())
