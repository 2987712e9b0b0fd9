import { z } from 'zod'
import type { JsonValue } from '#lib/json.ts'

/**
 * An attribute before it is stored. With `class`, the whole value is sensitive. With `view`, it is content: `view` is the part
 * that may be shown, with markers for sensitive values (lib/rules/mask.ts), and is also stored encrypted.
 */
export type RecordedAttribute = { key: string; value: JsonValue; class?: string; view?: JsonValue }

/**
 * An attribute as it is stored. Attributes are a list, never an object, because a span may contain a key such as __proto__.
 * Without `value`, the whole value is masked. `sd` is the commitment to the value, which is stored encrypted elsewhere.
 */
export type StoredAttribute = {
  key: string
  value?: JsonValue
  masked?: { class: string; length: number }
  sd?: string
  /** For content, the commitment to the part that may be shown, as JSON text. It is stored encrypted and returned as `value`. */
  shown?: string
  /** Permanently removed by an erasure. */
  erased?: true
}

export type RecordedEvent = { name: string; at: string; attributes: RecordedAttribute[] }
export type StoredLink = { traceId: string; spanId: string; attributes: StoredAttribute[] }
export type StoredEvent = { name: string; at: string; attributes: StoredAttribute[] }

// The values are not parsed again: they are from a JSON column, and zod drops keys such as __proto__.
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

/** The key of the message of an execution's span, so that it is stored encrypted like its other content. */
export const statusMessageKey = 'countersign.status_message'

/** Returns an execution's span with its message in the field for messages. An erased message remains an attribute. */
export function withMessage<Attribute extends { key: string; value?: JsonValue | undefined }>(
  origin: string,
  attributes: readonly Attribute[],
): { statusMessage?: string; attributes: readonly Attribute[] } {
  const message = origin === 'execution' ? attributes.find(({ key }) => key === statusMessageKey)?.value : undefined
  if (typeof message !== 'string') return { attributes }
  return { statusMessage: message, attributes: attributes.filter(({ key }) => key !== statusMessageKey) }
}
