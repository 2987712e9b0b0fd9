import type { RecordedAttribute } from '#server/traces/attributes.ts'
import type { TelemetrySpan } from '#server/traces/record-batch.ts'
import { nameIn } from './facts.ts'
import type { Normalised } from './normalise.ts'
import type { KeyValue, Scoped } from './otlp.ts'
import { type ClassDeclared, classOfText, sensitiveClass } from './sensitive.ts'

const statuses = ['unset', 'ok', 'error'] as const
const longestName = 256

/** A span of OTLP as it is recorded, each attribute with its class when it is sensitive. `declared`: by its agent's manifest. */
export function toSpan(
  { resource, scope, span }: Scoped,
  { kind, facts, agent }: Normalised,
  declared?: ClassDeclared,
): TelemetrySpan {
  const recorded = (pair: KeyValue): RecordedAttribute => {
    const found = sensitiveClass(pair, declared)
    return found === undefined ? pair : { ...pair, class: found }
  }
  // A name is for lists and searches. One that tells too much stands among what is masked.
  const shown = span.name.length <= longestName && classOfText(span.name) === undefined
  const name = span.name === '' ? 'unnamed' : shown ? span.name : `${facts.operation ?? kind} (long or personal name)`
  const attributes = span.attributes.map(recorded)
  if (!shown) attributes.push({ key: 'otel.span_name', value: span.name, class: 'text' })
  if (span.statusMessage !== '')
    attributes.push({ key: 'otel.status_description', value: span.statusMessage, class: 'error' })
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name,
    kind,
    status: statuses[span.status] ?? 'unset',
    attributes,
    events: span.events.map((event) => ({
      name: nameIn(event.name) ?? 'event',
      at: new Date(Math.min(event.micros / 1000, latest)).toISOString(),
      attributes: event.attributes.map(recorded),
    })),
    facts,
    agent,
    startedMicros: span.startMicros,
    endedMicros: span.endMicros,
    content: JSON.stringify([span, resource, scope]),
  }
}

/** The last millisecond that ISO 8601 writes with four digits of the year. */
const latest = 253_402_300_799_999
