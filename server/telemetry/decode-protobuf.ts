import type { JsonValue } from '#lib/json.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { Rests } from '#server/kernel/pace.ts'
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
import { bit64Field, bytesField, CountingWire, varintField, Wire, WireError } from './wire.ts'

// Decodes opentelemetry/proto/collector/trace/v1/trace_service.proto and its imports field by field: there are few messages,
// and decoding directly into the stored form costs a third of decoding into messages first. Unknown fields are skipped.

const field1 = bytesField(1)
const field2 = bytesField(2)

/** A signal of OTLP: the name of its request, and how one of its items is read. Requests have the same structure otherwise. */
export type ProtobufItems = {
  message: string
  /** Throws SpanRefused for an item that can't be accepted. */
  decode(wire: Wire, end: number, allowance: Allowance): OtlpSpan
}

const spanItems: ProtobufItems = {
  message: 'ExportTraceServiceRequest',
  decode: (wire, end, allowance) => checkSpan(decodeSpan(wire, end, allowance)),
}

/** Throws OtlpError for an invalid message, OtlpTooMuch for one beyond the limits. A large one is decoded in pieces. */
export async function decodeProtobuf(
  bytes: Uint8Array,
  allowance = new Allowance(),
  items: ProtobufItems = spanItems,
): Promise<Decoded> {
  const wire = new Wire(bytes)
  const request: Request = { wire, bytes, items, allowance, rests: new Rests(), spans: [], rejected: new Rejections() }
  try {
    while (wire.at < wire.length) {
      if (request.rests.due(wire.at)) await request.rests.rest()
      const tag = wire.tag(wire.length)
      if (tag === field1) {
        allowance.group()
        await resourceSpans(request, wire.span(wire.length))
      } else wire.skip(tag, wire.length)
    }
  } catch (cause) {
    if (cause instanceof WireError) throw new OtlpError(`Not a valid ${items.message}.`, { cause })
    throw cause
  }
  return new Decoded(request.spans, request.rejected)
}

type Request = {
  wire: Wire
  bytes: Uint8Array
  items: ProtobufItems
  allowance: Allowance
  rests: Rests
  spans: Scoped[]
  rejected: Rejections
}

/** A resource may follow its scopes, and a scope its spans: both are filled in when they are read. */
async function resourceSpans(request: Request, end: number): Promise<void> {
  const { wire, allowance, rests } = request
  const resource: KeyValue[] = []
  while (wire.at < end) {
    if (rests.due(wire.at)) await rests.rest()
    const tag = wire.tag(end)
    if (tag === field1)
      inOnePiece(request, wire.span(end), (part, stop) => readResource(part, stop, resource, allowance))
    else if (tag === field2) {
      allowance.group()
      await scopeSpans(request, resource, wire.span(end))
    } else wire.skip(tag, end)
  }
}

function readResource(wire: Wire, end: number, resource: KeyValue[], allowance: Allowance): void {
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) resource.push(keyValue(wire, wire.span(end), allowance, 0))
    else wire.skip(tag, end)
  }
}

async function scopeSpans(request: Request, resource: KeyValue[], end: number): Promise<void> {
  const { wire, items, allowance, rests, spans, rejected } = request
  const first = spans.length
  let scope = ''
  const readSpan = (part: Wire, stop: number) => {
    spans.push({ resource, scope, span: items.decode(part, stop, allowance) })
  }
  const readScopeName = (part: Wire, stop: number) => {
    scope = readScope(part, stop)
  }
  while (wire.at < end) {
    if (rests.due(wire.at)) await rests.rest()
    const tag = wire.tag(end)
    if (tag === field1) inOnePiece(request, wire.span(end), readScopeName)
    else if (tag !== field2) wire.skip(tag, end)
    else {
      allowance.span()
      const stop = wire.span(end)
      try {
        inOnePiece(request, stop, readSpan)
      } catch (error) {
        if (!(error instanceof SpanRefused)) throw error
        rejected.add(error.message)
        wire.at = stop
      }
    }
  }
  for (let index = first; index < spans.length; index++) {
    const scoped = spans[index]
    if (scoped !== undefined) scoped.scope = scope
  }
}

/**
 * Reads one span, resource or scope. Fields are counted only in a large one: a field has at least two bytes, and counting
 * costs a twentieth of the decoding.
 */
function inOnePiece({ wire, bytes }: Request, end: number, read: (wire: Wire, end: number) => void): void {
  if (end - wire.at <= 2 * wireLimits.telemetry.fieldsInOne) {
    read(wire, end)
    return
  }
  const counting = new CountingWire(bytes, wire.at)
  read(counting, end)
  wire.at = end
}

function readScope(wire: Wire, end: number): string {
  let scope = ''
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === field1) scope = wire.text(end)
    else wire.skip(tag, end)
  }
  return scope
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

/** Reads a KeyValue. Throws SpanRefused for a value that is nested too deeply. */
export function keyValue(wire: Wire, end: number, allowance: Allowance, depth: number): KeyValue {
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

/** Reads an AnyValue. Throws SpanRefused for one that is nested too deeply. */
export function anyValue(wire: Wire, end: number, allowance: Allowance, depth: number): JsonValue {
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
