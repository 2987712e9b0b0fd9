import { quoted } from '#server/traces/recording/quoted.ts'
import type { TelemetrySpan } from '#server/traces/recording/record-batch.ts'
import type { WrittenAttribute, WrittenLink } from '#server/traces/recording/write-span.ts'
import { nameIn } from './facts.ts'
import type { Normalised } from './normalise.ts'
import type { KeyValue, Scoped } from './otlp.ts'
import { type ClassDeclared, classOfText, sensitiveClass } from './sensitive.ts'

const statuses = ['unset', 'ok', 'error'] as const
const longestName = 256

/**
 * Converts an OTLP span to its recorded form, with the class of each sensitive attribute. `declared`: by its agent's
 * manifest.
 */
export function toSpan(
  scoped: Scoped,
  { kind, facts, agent, service }: Normalised,
  declared?: ClassDeclared,
  resource: readonly WrittenAttribute[] = [],
): TelemetrySpan {
  const { span } = scoped
  const attributes = span.attributes.map((pair) => written(pair, declared))
  const events = span.events.map((event) => event.attributes.map((pair) => written(pair, declared)))
  const links = (span.links ?? []).map((link) => ({
    traceId: link.traceId,
    spanId: link.spanId,
    attributes: link.attributes.map((pair) => written(pair, declared)),
  }))
  const content = contentOf(scoped, attributes, events, links)
  // A name appears in lists and searches, so a name with personal data becomes a masked attribute.
  const shown = span.name.length <= longestName && classOfText(span.name) === undefined
  const name = span.name === '' ? 'unnamed' : shown ? span.name : `${facts.operation ?? kind} (long or personal name)`
  if (!shown) attributes.push(masked('otel.span_name', span.name, 'text'))
  if (span.statusMessage !== '') attributes.push(masked('otel.status_description', span.statusMessage, 'error'))
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name,
    kind,
    status: statuses[span.status] ?? 'unset',
    attributes,
    events: span.events.map((event, index) => ({
      name: nameIn(event.name) ?? 'event',
      at: new Date(Math.min(event.micros / 1000, latest)).toISOString(),
      attributes: events[index] ?? [],
    })),
    links,
    resource,
    facts,
    agent,
    service,
    startedMicros: span.startMicros,
    endedMicros: span.endMicros,
    content,
  }
}

/** The last millisecond that ISO 8601 writes with four digits of the year. */
const latest = 253_402_300_799_999

/** Decoded values contain no objects except {key, value}, so JSON.stringify writes the same text as JCS. */
export function written(pair: KeyValue, declared: ClassDeclared | undefined): WrittenAttribute {
  const { key, value } = pair
  const json = JSON.stringify(value)
  const found = sensitiveClass(pair, declared)
  if (found === undefined) return { key, json }
  return { key, json, masked: { class: found, length: typeof value === 'string' ? value.length : json.length } }
}

const masked = (key: string, text: string, className: string): WrittenAttribute => ({
  key,
  json: JSON.stringify(text),
  masked: { class: className, length: text.length },
})

/** Returns JSON.stringify([span, resource, scope]), built from existing texts. Two deliveries of a span are compared by it. */
function contentOf(
  { span, resource, scope }: Scoped,
  attributes: readonly WrittenAttribute[],
  eventAttributes: readonly (readonly WrittenAttribute[])[],
  links: readonly WrittenLink[],
): string {
  const { traceId, spanId, parentSpanId, name, startMicros, endMicros, events, status, statusMessage } = span
  const parent = parentSpanId === null ? 'null' : `"${parentSpanId}"`
  const eventTexts = events.map(
    (event, index) =>
      `{"name":${JSON.stringify(event.name)},"micros":${event.micros},"attributes":[${pairs(eventAttributes[index] ?? [])}]}`,
  )
  const linkTexts = links.map(
    (link) => `{"traceId":"${link.traceId}","spanId":"${link.spanId}","attributes":[${pairs(link.attributes)}]}`,
  )
  const linksText = links.length === 0 ? '' : `,"links":[${linkTexts.join(',')}]`
  return `[{"traceId":"${traceId}","spanId":"${spanId}","parentSpanId":${parent},"name":${quoted(name)},"startMicros":${startMicros},"endMicros":${endMicros},"attributes":[${pairs(attributes)}],"events":[${eventTexts.join(',')}],"status":${status},"statusMessage":${JSON.stringify(statusMessage)}${linksText}},${resourceText(resource)},${quoted(scope)}]`
}

function pairs(attributes: readonly WrittenAttribute[]): string {
  let text = ''
  for (const { key, json } of attributes) text += `${text === '' ? '' : ','}{"key":${quoted(key)},"value":${json}}`
  return text
}

// All spans of a group share a resource.
const resourceTexts = new WeakMap<readonly KeyValue[], string>()

function resourceText(resource: readonly KeyValue[]): string {
  const before = resourceTexts.get(resource)
  if (before !== undefined) return before
  const text = JSON.stringify(resource)
  resourceTexts.set(resource, text)
  return text
}
