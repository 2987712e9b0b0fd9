import type { JsonValue } from '#lib/json.ts'
import { leafHash } from '#server/audit/merkle.ts'
import type { StoredAttribute, StoredEvent } from './attributes.ts'

/** What of a span is proved: all of it that may be shown, and the commitments to the rest. Times are microseconds. */
export type LeafSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: string
  status: string
  startedMicros: number
  endedMicros: number
  attributes: readonly StoredAttribute[]
  events: readonly StoredEvent[]
  facts: Readonly<Record<string, JsonValue>>
}

/**
 * The leaf of a span in the tree of its batch, whose root stands in the audit record: RFC 6962 leaf hash of a JSON array.
 * What telemetry sends holds no objects but {key, value}, so that JSON.stringify writes what JCS would.
 */
export const spanLeaf = (span: LeafSpan): Buffer =>
  leafHash(
    Buffer.from(
      JSON.stringify([
        'agcp.span.v1',
        span.traceId,
        span.spanId,
        span.parentSpanId,
        span.name,
        span.kind,
        span.status,
        span.startedMicros,
        span.endedMicros,
        span.attributes.map(provable),
        span.events.map(({ name, at, attributes }) => [name, at, attributes.map(provable)]),
        Object.entries(span.facts).sort(([a], [b]) => (a < b ? -1 : 1)),
      ]),
    ),
  )

const provable = ({ key, value, sd }: StoredAttribute): JsonValue =>
  sd === undefined ? [key, value ?? null] : [key, { sd }]
