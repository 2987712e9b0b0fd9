import { z } from 'zod'
import type { JsonValue } from '#lib/json.ts'

/**
 * An attribute as its recorder knows it: with `class` the whole value is sensitive. With `view` it is content: `view` is
 * what may be shown of it, with markers in the places of what is sensitive (lib/rules/mask.ts), and lies encrypted, too.
 */
export type RecordedAttribute = { key: string; value: JsonValue; class?: string; view?: JsonValue }

/**
 * An attribute as it lies in the database. Attributes are a list, never an object: a span may carry a key such as
 * __proto__. Without `value` it is masked as a whole; `sd` is the commitment to what is stored encrypted elsewhere.
 */
export type StoredAttribute = {
  key: string
  value?: JsonValue
  masked?: { class: string; length: number }
  sd?: string
  /** The commitment to what may be shown, as JSON text, when that is content: it is stored encrypted, and readers get it as `value`. */
  shown?: string
  /** Permanently removed by an erasure. */
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
    shown: z.string().optional(),
    erased: z.literal(true).optional(),
  }),
)
export const StoredEvents = z.array(z.object({ name: z.string(), at: z.string(), attributes: StoredAttributes }))
export const StoredLinks = z.array(z.object({ traceId: z.string(), spanId: z.string(), attributes: StoredAttributes }))

/** Under which the message of an execution's span is kept, so that it lies encrypted like its other content. */
export const statusMessageKey = 'countersign.status_message'

/** An execution's span with its message where readers look for it. One that was erased stays an attribute that says so. */
export function withMessage<Attribute extends { key: string; value?: JsonValue | undefined }>(
  origin: string,
  attributes: readonly Attribute[],
): { statusMessage?: string; attributes: readonly Attribute[] } {
  const message = origin === 'execution' ? attributes.find(({ key }) => key === statusMessageKey)?.value : undefined
  if (typeof message !== 'string') return { attributes }
  return { statusMessage: message, attributes: attributes.filter(({ key }) => key !== statusMessageKey) }
}
