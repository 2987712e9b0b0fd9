import { z } from 'zod'
import type { JsonValue } from '#lib/json.ts'

/**
 * An attribute as its recorder knows it: with `class` the whole value is sensitive; with `view` parts of it are, and `view`
 * is the value with markers in their places (lib/rules/mask.ts).
 */
export type RecordedAttribute = { key: string; value: JsonValue; class?: string; view?: JsonValue }

/**
 * An attribute as it lies in the database. Attributes are a list, never an object: a span may carry a key such as
 * __proto__. Without `value` it is masked as a whole; `sd` is the commitment to what stands sealed elsewhere.
 */
export type StoredAttribute = {
  key: string
  value?: JsonValue
  masked?: { class: string; length: number }
  sd?: string
  /** Removed for ever by an erasure. */
  erased?: true
}

export type RecordedEvent = { name: string; at: string; attributes: RecordedAttribute[] }
export type StoredLink = { traceId: string; spanId: string; attributes: StoredAttribute[] }
export type StoredEvent = { name: string; at: string; attributes: StoredAttribute[] }

// The values are not parsed again: they come from a JSON column, and zod drops keys such as __proto__.
export const StoredAttributes = z.array(
  z.object({
    key: z.string(),
    value: z.custom<JsonValue>().optional(),
    masked: z.object({ class: z.string(), length: z.int() }).optional(),
    sd: z.string().optional(),
    erased: z.literal(true).optional(),
  }),
)
export const StoredEvents = z.array(z.object({ name: z.string(), at: z.string(), attributes: StoredAttributes }))
export const StoredLinks = z.array(z.object({ traceId: z.string(), spanId: z.string(), attributes: StoredAttributes }))
