import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { JsonValue } from '#lib/json.ts'
import {
  Allowance,
  checkSpan,
  Decoded,
  type KeyValue,
  maxDepth,
  numeric,
  OtlpError,
  type OtlpEvent,
  type OtlpSpan,
  OtlpTooMuch,
  Rejections,
  type Scoped,
  SpanRefused,
  storable,
} from './otlp.ts'

// opentelemetry/proto/collector/trace/v1/trace_service.proto and what it imports, field by field: the messages are few, and
// decoding straight into what is stored costs a third of decoding into messages first. Unknown fields are skipped.

/** Throws OtlpError for what is no such message. */
export function decodeProtobuf(bytes: Uint8Array): Decoded {
  const rejected = new Rejections()
  const spans: Scoped[] = []
  const allowance = new Allowance()
  try {
    each(bytes, (field, reader) => {
      if (field === 1) resourceSpans(reader.bytes(), allowance, spans, rejected)
      else return false
    })
  } catch (cause) {
    if (cause instanceof OtlpTooMuch) throw cause
    throw new OtlpError('The body is no ExportTraceServiceRequest.', { cause })
  }
  return new Decoded(spans, rejected)
}

/** Reads the fields of one message; `take` gives false for one that it does not know. */
function each(bytes: Uint8Array, take: (field: number, reader: BinaryReader, type: WireType) => unknown): void {
  const reader = new BinaryReader(bytes, utf8)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    const before = reader.pos
    if (expected(type) && take(field, reader, type) !== false) continue
    reader.pos = before
    reader.skip(type, field)
  }
}

const expected = (type: WireType) => type !== WireType.StartGroup && type !== WireType.EndGroup

/** Lenient: a wrong byte becomes U+FFFD, as a letter that nobody can read is no reason to lose the span. */
const utf8 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

function resourceSpans(bytes: Uint8Array, allowance: Allowance, into: Scoped[], rejected: Rejections): void {
  const resource: KeyValue[] = []
  const scopes: Uint8Array[] = []
  each(bytes, (field, reader, type) => {
    if (type !== WireType.LengthDelimited) return false
    if (field === 1) each(reader.bytes(), (inner, at) => (inner === 1 ? keyValue(at, resource, allowance, 0) : false))
    else if (field === 2) scopes.push(reader.bytes())
    else return false
  })
  for (const scope of scopes) scopeSpans(scope, resource, allowance, into, rejected)
}

function scopeSpans(
  bytes: Uint8Array,
  resource: KeyValue[],
  allowance: Allowance,
  into: Scoped[],
  rejected: Rejections,
): void {
  let scope = ''
  const found: Uint8Array[] = []
  each(bytes, (field, reader, type) => {
    if (type !== WireType.LengthDelimited) return false
    if (field === 1)
      each(reader.bytes(), (inner, at, innerType) => {
        if (inner !== 1 || innerType !== WireType.LengthDelimited) return false
        scope = storable(at.string())
      })
    else if (field === 2) found.push(reader.bytes())
    else return false
  })
  for (const span of found) {
    allowance.span()
    try {
      into.push({ resource, scope, span: checkSpan(decodeSpan(span, allowance)) })
    } catch (error) {
      if (!(error instanceof SpanRefused)) throw error
      rejected.add(error.message)
    }
  }
}

function decodeSpan(bytes: Uint8Array, allowance: Allowance): OtlpSpan {
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
  each(bytes, (field, reader, type) => {
    if (type === WireType.Bit64) {
      if (field === 7) span.startMicros = micros(reader)
      else if (field === 8) span.endMicros = micros(reader)
      else return false
      return
    }
    if (type !== WireType.LengthDelimited) return false
    if (field === 1) span.traceId = hex(reader.bytes())
    else if (field === 2) span.spanId = hex(reader.bytes())
    else if (field === 4) span.parentSpanId = hex(reader.bytes()) || null
    else if (field === 5) span.name = storable(reader.string())
    else if (field === 9) keyValue(reader, span.attributes, allowance, 0)
    else if (field === 11) span.events.push(event(reader.bytes(), allowance))
    else if (field === 15) status(reader.bytes(), span)
    else return false
  })
  return span
}

function event(bytes: Uint8Array, allowance: Allowance): OtlpEvent {
  allowance.value()
  const found: OtlpEvent = { name: '', micros: 0, attributes: [] }
  each(bytes, (field, reader, type) => {
    if (field === 1 && type === WireType.Bit64) found.micros = micros(reader)
    else if (type !== WireType.LengthDelimited) return false
    else if (field === 2) found.name = storable(reader.string())
    else if (field === 3) keyValue(reader, found.attributes, allowance, 0)
    else return false
  })
  return found
}

function status(bytes: Uint8Array, span: OtlpSpan): void {
  each(bytes, (field, reader, type) => {
    if (field === 2 && type === WireType.LengthDelimited) span.statusMessage = storable(reader.string())
    else if (field === 3 && type === WireType.Varint) span.status = reader.int32()
    else return false
  })
}

function keyValue(reader: BinaryReader, into: KeyValue[], allowance: Allowance, depth: number): void {
  allowance.value()
  const pair: KeyValue = { key: '', value: null }
  each(reader.bytes(), (field, at, type) => {
    if (type !== WireType.LengthDelimited) return false
    if (field === 1) pair.key = storable(at.string())
    else if (field === 2) pair.value = anyValue(at.bytes(), allowance, depth)
    else return false
  })
  into.push(pair)
}

function anyValue(bytes: Uint8Array, allowance: Allowance, depth: number): JsonValue {
  if (depth > maxDepth) throw new SpanRefused(`a value is nested more than ${maxDepth} levels deep`)
  allowance.value()
  let value: JsonValue = null
  each(bytes, (field, reader, type) => {
    if (field === 1 && type === WireType.LengthDelimited) value = storable(reader.string())
    else if (field === 2 && type === WireType.Varint) value = reader.bool()
    else if (field === 3 && type === WireType.Varint) value = integer(reader.int64())
    else if (field === 4 && type === WireType.Bit64) value = numeric(reader.double())
    else if (field === 5 && type === WireType.LengthDelimited) value = arrayValue(reader.bytes(), allowance, depth)
    else if (field === 6 && type === WireType.LengthDelimited) {
      const list: KeyValue[] = []
      each(reader.bytes(), (inner, at) => (inner === 1 ? keyValue(at, list, allowance, depth + 1) : false))
      value = list
    } else if (field === 7 && type === WireType.LengthDelimited) value = Buffer.from(reader.bytes()).toString('base64')
    else return false
  })
  return value
}

function arrayValue(bytes: Uint8Array, allowance: Allowance, depth: number): JsonValue[] {
  const values: JsonValue[] = []
  each(bytes, (field, reader, type) => {
    if (field !== 1 || type !== WireType.LengthDelimited) return false
    values.push(anyValue(reader.bytes(), allowance, depth + 1))
  })
  return values
}

const integer = (value: bigint | string): number | string => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** fixed64 of nanoseconds. In halves, because a BigInt for each time costs more than the rest of the span. */
function micros(reader: BinaryReader): number {
  const low = reader.fixed32()
  const high = reader.fixed32()
  return Math.floor(high / 1000) * 2 ** 32 + Math.floor(((high % 1000) * 2 ** 32 + low) / 1000)
}
