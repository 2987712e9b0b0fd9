import type { JsonValue } from '#lib/json.ts'
import { erasedText } from '#lib/rules/erased.ts'

/** Whether a text contains the subject. */
export type Finder = (text: string) => boolean

/** Finds `subject` in any case, including in JSON and in JSON within JSON. */
export function finderOf(subject: string): Finder {
  const wanted = plain(subject)
  const forms = [...new Set([wanted, quoted(wanted), quoted(quoted(wanted))])]
  return (text) => {
    const within = plain(text)
    return forms.some((form) => within.includes(form))
  }
}

const plain = (text: string): string => text.normalize('NFC').toLowerCase()

/** The text in its JSON-escaped form. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * A copy of `value` in which each text, number and field name that contains the subject is replaced, with the number of
 * replacements. Fields named in `kept` stay unchanged: they contain the product's own words in a fixed format.
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
    // fromEntries defines own properties, so a key such as __proto__ stays an ordinary key.
    return Object.fromEntries(
      Object.entries(at).map(([key, inner]): [string, JsonValue] =>
        kept.has(key) ? [key, inner] : [holds(key) ? gone() : key, isBytes(key, inner, holds) ? gone() : walk(inner)],
      ),
    )
  }
  return { value: walk(value), texts }
}

/** Bytes of an event are base64, which has to be decoded before searching it. */
const isBytes = (key: string, value: JsonValue, holds: Finder): boolean =>
  key === '$base64' && typeof value === 'string' && holds(Buffer.from(value, 'base64').toString())
