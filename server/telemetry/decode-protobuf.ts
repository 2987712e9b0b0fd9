import type { JsonValue } from '#lib/json.ts'
import {
  Allowance,
  addLink,
  checkSpan,
  Decoded,
  type KeyValue,
  maxDepth,
  numeric,
  OtlpError,
  type OtlpEvent,
  type OtlpLink,
  type OtlpSpan,
  Rejections,
  type Scoped,
  SpanRefused,
  traceStateKey,
} from './otlp.ts'
import { bit64Field, bytesField, varintField, Wire, WireError } from './wire.ts'

// Decodes opentelemetry/proto/collector/trace/v1/trace_service.proto and its imports field by field: there are few messages,
// and decoding directly into the stored form costs a third of decoding into messages first. Unknown fields are skipped.

const field1 = bytesField(1)
const field2 = bytesField(2)

/** Throws OtlpError for an invalid message. */
export function decodeProtobuf(bytes: Uint8Array): Decoded {
  const wire = new Wire(bytes)
  const request: Request = { wire, allowance: new Allowance(), spans: [], rejected: new Rejections() }
  try {
    while (wire.at < wire.length) {
      const tag = wire.tag(wire.length)
      if (tag === field1) resourceSpans(request, wire.span(wire.length))
      else wire.skip(tag, wire.length)
    }
  } catch (cause) {
    if (cause instanceof WireError) throw new OtlpError('Not a valid ExportTraceServiceRequest.', { cause })
    throw cause
  }
  return new Decoded(request.spans, request.rejected)
}

type Request = { wire: Wire; allowance: Allowance; spans: Scoped[]; rejected: Rejections }

/** Scopes may precede the resource, so their positions are stored until it is read. */
function resourceSpans(request: Request, end: number): void {
  const { wire, allowance } = request
  const resource: KeyValue[] = []
  const scopes: number[] = []
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) {
      const stop = wire.span(end)
      while (wire.at < stop) {
        const inner = wire.tag(stop)
        if (inner === field1) resource.push(keyValue(wire, wire.span(stop), allowance, 0))
        else wire.skip(inner, stop)
      }
    } else {
      if (tag === field2) scopes.push(wire.at)
      wire.skip(tag, end)
    }
  }
  for (const from of scopes) {
    wire.at = from
    scopeSpans(request, resource, wire.span(end))
  }
  wire.at = end
}

function scopeSpans({ wire, allowance, spans, rejected }: Request, resource: KeyValue[], end: number): void {
  let scope = ''
  const found: number[] = []
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) {
      const stop = wire.span(end)
      while (wire.at < stop) {
        const inner = wire.tag(stop)
        if (inner === field1) scope = wire.text(stop)
        else wire.skip(inner, stop)
      }
    } else {
      if (tag === field2) found.push(wire.at)
      wire.skip(tag, end)
    }
  }
  for (const from of found) {
    allowance.span()
    wire.at = from
    try {
      spans.push({ resource, scope, span: checkSpan(decodeSpan(wire, wire.span(end), allowance)) })
    } catch (error) {
      if (!(error instanceof SpanRefused)) throw error
      rejected.add(error.message)
    }
  }
  wire.at = end
}

const startField = bit64Field(7)
const endField = bit64Field(8)
const parentField = bytesField(4)
const nameField = bytesField(5)
const attributesField = bytesField(9)
const eventsField = bytesField(11)
const linksField = bytesField(13)
const statusField = bytesField(15)

function decodeSpan(wire: Wire, end: number, allowance: Allowance): OtlpSpan {
  const span: OtlpSpan = {
    traceId: '',
    spanId: '',
    parentSpanId: null,
    name: '',
    startMicros: 0,
    endMicros: 0,
    attributes: [],
    events: [],
    status: 0,
    statusMessage: '',
  }
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === attributesField) span.attributes.push(keyValue(wire, wire.span(end), allowance, 0))
    else if (tag === field1) span.traceId = wire.hex(end)
    else if (tag === field2) span.spanId = wire.hex(end)
    else if (tag === parentField) span.parentSpanId = wire.hex(end) || null
    else if (tag === nameField) span.name = wire.text(end)
    else if (tag === startField) span.startMicros = wire.micros(end)
    else if (tag === endField) span.endMicros = wire.micros(end)
    else if (tag === eventsField) span.events.push(event(wire, wire.span(end), allowance))
    else if (tag === linksField) addLink(span, link(wire, wire.span(end), allowance))
    else if (tag === statusField) status(wire, wire.span(end), span)
    else wire.skip(tag, end)
  }
  return span
}

const eventTimeField = bit64Field(1)
const field3 = bytesField(3)

function event(wire: Wire, end: number, allowance: Allowance): OtlpEvent {
  allowance.value()
  const found: OtlpEvent = { name: '', micros: 0, attributes: [] }
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === eventTimeField) found.micros = wire.micros(end)
    else if (tag === field2) found.name = wire.text(end)
    else if (tag === field3) found.attributes.push(keyValue(wire, wire.span(end), allowance, 0))
    else wire.skip(tag, end)
  }
  return found
}

const linkAttributesField = bytesField(4)

function link(wire: Wire, end: number, allowance: Allowance): OtlpLink {
  allowance.value()
  const found: OtlpLink = { traceId: '', spanId: '', attributes: [] }
  let state = ''
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) found.traceId = wire.hex(end)
    else if (tag === field2) found.spanId = wire.hex(end)
    else if (tag === field3) state = wire.text(end)
    else if (tag === linkAttributesField) found.attributes.push(keyValue(wire, wire.span(end), allowance, 0))
    else wire.skip(tag, end)
  }
  if (state !== '') found.attributes.push({ key: traceStateKey, value: state })
  return found
}

const codeField = varintField(3)

function status(wire: Wire, end: number, span: OtlpSpan): void {
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field2) span.statusMessage = wire.text(end)
    else if (tag === codeField) span.status = wire.int32(end)
    else wire.skip(tag, end)
  }
}

function keyValue(wire: Wire, end: number, allowance: Allowance, depth: number): KeyValue {
  allowance.value()
  let key = ''
  let value: JsonValue = null
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) key = wire.key(end)
    else if (tag === field2) value = anyValue(wire, wire.span(end), allowance, depth)
    else wire.skip(tag, end)
  }
  return { key, value }
}

const boolField = varintField(2)
const intField = varintField(3)
const doubleField = bit64Field(4)
const arrayField = bytesField(5)
const listField = bytesField(6)
const bytesValueField = bytesField(7)

function anyValue(wire: Wire, end: number, allowance: Allowance, depth: number): JsonValue {
  if (depth > maxDepth) throw new SpanRefused(`a value is nested more than ${maxDepth} levels deep`)
  allowance.value()
  let value: JsonValue = null
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) value = wire.text(end)
    else if (tag === intField) value = wire.int64(end)
    else if (tag === boolField) value = wire.bool(end)
    else if (tag === doubleField) value = numeric(wire.double(end))
    else if (tag === arrayField) value = arrayValue(wire, wire.span(end), allowance, depth)
    else if (tag === listField) value = listValue(wire, wire.span(end), allowance, depth)
    else if (tag === bytesValueField) value = wire.base64(end)
    else wire.skip(tag, end)
  }
  return value
}

function arrayValue(wire: Wire, end: number, allowance: Allowance, depth: number): JsonValue[] {
  const values: JsonValue[] = []
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) values.push(anyValue(wire, wire.span(end), allowance, depth + 1))
    else wire.skip(tag, end)
  }
  return values
}

function listValue(wire: Wire, end: number, allowance: Allowance, depth: number): KeyValue[] {
  const list: KeyValue[] = []
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) list.push(keyValue(wire, wire.span(end), allowance, depth + 1))
    else wire.skip(tag, end)
  }
  return list
}
