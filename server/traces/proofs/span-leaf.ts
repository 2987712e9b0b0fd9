import { hash } from 'node:crypto'
import type { JsonValue } from '#lib/json.ts'
import { leafHash } from '#server/audit/tree/merkle.ts'
import type { StoredAttribute, StoredEvent, StoredLink } from '#server/traces/attributes.ts'

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
  links?: readonly StoredLink[]
  /** What resourceText() gives; undefined: it has none. */
  resource?: string | undefined
}

/**
 * The text whose RFC 6962 leaf hash is the span's leaf in the tree of its batch; the tree's root is in the audit record.
 * A JSON array; version 2 where there are links or a resource. What telemetry sends holds no objects but {key, value}, so
 * that JSON.stringify writes what JCS would.
 */
export function spanLeafText(span: LeafSpan): string {
  const links = span.links ?? []
  const isFirst = links.length === 0 && span.resource === undefined
  return JSON.stringify([
    isFirst ? 'agcp.span.v1' : 'agcp.span.v2',
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
    ...(isFirst
      ? []
      : [
          links.map(({ traceId, spanId, attributes }) => [traceId, spanId, attributes.map(provable)]),
          span.resource === undefined ? null : hash('sha256', span.resource),
        ]),
  ])
}

export const spanLeaf = (span: LeafSpan): Buffer => leafHash(Buffer.from(spanLeafText(span)))

/** What a span's leaf holds the SHA-256 of. */
export const resourceText = (attributes: readonly StoredAttribute[]): string =>
  JSON.stringify(['agcp.resource.v1', attributes.map(provable)])

const provable = ({ key, value, sd }: StoredAttribute): JsonValue =>
  sd === undefined ? [key, value ?? null] : [key, { sd }]
