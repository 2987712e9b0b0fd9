import { hash } from 'node:crypto'
import type { JsonValue } from '#lib/json.ts'
import { leafHash } from '#server/audit/tree/merkle.ts'
import type { StoredAttribute, StoredEvent, StoredLink } from '#server/traces/attributes.ts'

/** The parts of a span that are proved: those that may be shown, and the commitments to the others. Times in microseconds. */
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
  /** The result of resourceText(); undefined without a resource. */
  resource?: string | undefined
}

/**
 * Returns the text whose RFC 6962 leaf hash is the span's leaf in the tree of its batch. The audit record contains the tree's
 * root. The text is a JSON array, in version 2 if the span has links or a resource. Telemetry contains no objects except
 * {key, value}, so JSON.stringify writes the same text as JCS.
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

/** Returns the text of a resource, whose SHA-256 is part of a span's leaf. */
export const resourceText = (attributes: readonly StoredAttribute[]): string =>
  JSON.stringify(['agcp.resource.v1', attributes.map(provable)])

const provable = ({ key, value, sd }: StoredAttribute): JsonValue =>
  sd === undefined ? [key, value ?? null] : [key, { sd }]
