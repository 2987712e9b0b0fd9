import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { escapedName } from '#lib/rules/mask.ts'
import { isMasked } from '#lib/rules/masked.ts'
import { classOfText, sensitiveClass } from '#server/telemetry/sensitive.ts'
import type { StoredAttributes } from '#server/traces/attributes.ts'

// What an archive without raw payloads shows of content. Manifests have masked it when it was written; here inputs, outputs and
// arguments are masked as a whole, and names and free text by the rules for telemetry.

/** A masked value of an archive. It lacks the length, which would distinguish true from false. */
const marker = (className: string): JsonValue => ({ $masked: { class: className } })

/** Members of journal entries with what people, models and tools wrote. */
const payloads = new Map([
  ['input', 'input'],
  ['output', 'output'],
  ['arguments', 'tool.arguments'],
  ['result', 'tool.result'],
  ['error', 'error'],
  ['message', 'error'],
  ['text', 'content'],
])

/** Masks the data of a journal entry. */
export function maskEntry(data: JsonValue): JsonValue {
  if (!isJsonObject(data)) return maskText('', data)
  return Object.fromEntries(
    Object.entries(data).map(([key, value]): [string, JsonValue] => {
      const payload = payloads.get(key)
      return [key, payload === undefined || value === null ? maskText(key, value) : marker(payload)]
    }),
  )
}

/** Masks each value that is sensitive by its key or its form. `key` is the dotted path. */
export function maskText(key: string, value: JsonValue): JsonValue {
  if (isMasked(value)) return marker(value.$masked.class)
  // A structure is sensitive as a whole by its key only.
  const found = sensitiveClass({ key, value: typeof value === 'object' && value !== null ? '' : value })
  if (found !== undefined) return marker(found)
  if (typeof value === 'string') return hasSensitiveJson(value) ? marker('text') : value
  if (Array.isArray(value)) return value.map((inner) => maskText(key, inner))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]): [string, JsonValue] => [
      // A name may contain data itself. An entry that was written before such names were escaped may imitate the marker.
      classOfText(name) !== undefined ? '[masked]' : name === '$masked' ? escapedName(name) : name,
      maskText(key === '' ? name : `${key}.${name}`, inner),
    ]),
  )
}

/** A text that is itself JSON has keys, too. */
function hasSensitiveJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    const inner = JSON.parse(text) as JsonValue
    return !isDeepStrictEqual(maskText('', inner), inner)
  } catch {
    return false
  }
}

/**
 * Masks the attributes of a span. Content of an execution's span (`shown`) is masked as a whole; telemetry was masked by the
 * same rules when it arrived. The commitments remain, so that the span still verifies.
 */
export const maskAttributes = (attributes: z.infer<typeof StoredAttributes>) =>
  attributes.map(({ masked, value, ...attribute }) => {
    if (masked !== undefined) return { ...attribute, masked: { class: masked.class } }
    if (attribute.shown === undefined) return { ...attribute, ...(value === undefined ? {} : { value }) }
    const className = sensitiveClass({ key: attribute.key, value: '' }) ?? 'content'
    return { ...attribute, masked: { class: className } }
  })
