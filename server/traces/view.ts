import { z } from 'zod'
import type { JsonValue } from '#lib/json.ts'
import { type Attribute, Span, type Trace } from '#lib/schemas/traces.ts'
import { type StoredAttribute, StoredAttributes, withMessage } from './attributes.ts'

type SpanRow = {
  spanId: string
  parentSpanId: string | null
  origin: string
  name: string
  kind: string
  status: string
  statusMessage: string | null
  attributes: unknown
  startedAt: Date
  endedAt: Date | null
}

const Skeleton = Span.omit({ attributes: true })
const Marker = z.strictObject({ $masked: z.object({ class: z.string(), length: z.int() }) })

/** Returns the row in the API's form. A completely masked value becomes `masked`; a masked part of a value remains a marker in it. */
export function spanView(row: SpanRow): Span {
  const { attributes: stored, ...skeleton } = row
  const { attributes, ...message } = withMessage(row.origin, StoredAttributes.parse(stored))
  return {
    ...Skeleton.parse({
      ...skeleton,
      ...message,
      startedAt: row.startedAt.toISOString(),
      endedAt: row.endedAt?.toISOString() ?? null,
    }),
    attributes: attributes.map(attributeView),
  }
}

/** The commitment is only for proofs, so it is omitted. */
export function attributeView({ key, value, masked, erased }: StoredAttribute): z.infer<typeof Attribute> {
  const gone = erased === true ? { erased } : {}
  if (masked !== undefined) return { key, masked, ...gone }
  if (value === undefined) return { key, ...gone }
  // An agent may send a value that only resembles a marker, which is then shown as a value.
  const marker = Marker.safeParse(value)
  return marker.success ? { key, masked: marker.data.$masked, ...gone } : { key, value, ...gone }
}

export function traceView(row: {
  traceId: string
  name: string
  executionId: string | null
  agentId: string | null
  startedAt: Date
  endedAt: Date | null
}): Trace {
  const { traceId, name, executionId, agentId } = row
  return {
    traceId,
    name,
    executionId,
    agentId,
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }
}

/** Returns the number of masked values in these spans, including parts of values. */
export const maskedValues = (spans: readonly Span[]): number => maskedIn(spans.flatMap((span) => span.attributes))

export const maskedIn = (attributes: readonly z.infer<typeof Attribute>[]): number =>
  attributes.reduce((sum, { masked, value }) => sum + (masked === undefined ? markersIn(value) : 1), 0)

function markersIn(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Marker.safeParse(value).success) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + markersIn(inner), 0)
}

const Facts = z.record(z.string(), z.custom<JsonValue>())

/** The values are not parsed again: zod drops keys such as __proto__. */
export const factsOf = (stored: unknown) => Facts.parse(stored)
