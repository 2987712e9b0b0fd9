import { wireLimits } from '#server/kernel/limits.ts'
import type { KeyValue, Scoped } from './otlp.ts'

// A span, and a resource, is a line of an archive, which a verifier reads as a whole. Long values are masked, and then they are
// not in that line; keys and short values always are.

export const mostShown = wireLimits.telemetry.shownBytes
/** Longer values are masked. */
const shownCharacters = 256
/** A character has at most six bytes in JSON, and an attribute at most these around its key and value. */
const [characterBytes, aroundBytes] = [6, 250]

const known = new WeakMap<readonly KeyValue[], boolean>()

/** Whether a span or its resource would make a line that is too long. */
export function isTooLongToShow({ span, resource }: Scoped): boolean {
  const before = known.get(resource) ?? isTooLong([resource])
  known.set(resource, before)
  const { attributes, events, links = [] } = span
  return before || isTooLong([attributes, ...[...events, ...links].map((one) => one.attributes)])
}

function isTooLong(lists: readonly (readonly KeyValue[])[]): boolean {
  let [characters, count] = [0, 0]
  for (const list of lists)
    for (const { key, value } of list) {
      characters += key.length + (typeof value === 'string' ? Math.min(value.length, shownCharacters) : shownCharacters)
      count += 1
    }
  if (characters * characterBytes + count * aroundBytes <= mostShown) return false
  let bytes = count * aroundBytes
  for (const list of lists)
    for (const { key, value } of list) {
      const text = JSON.stringify(value)
      const isShown = (typeof value === 'string' ? value : text).length <= shownCharacters
      bytes += Buffer.byteLength(JSON.stringify(key)) + (isShown ? Buffer.byteLength(text) : 0)
    }
  return bytes > mostShown
}
