import { decodeJson, field, anyValue as jsonValue, keyValues, micros, text } from '../decode-json.ts'
import { anyValue, decodeProtobuf, keyValue } from '../decode-protobuf.ts'
import { Allowance, DecodedLogs } from '../otlp.ts'
import { bit64Field, bytesField, varintField, type Wire } from '../wire.ts'
import { entryOf, type LogRecord } from './log-record.ts'

// opentelemetry/proto/logs/v1/logs.proto, and its JSON form.

const timeField = bit64Field(1)
const severityNumberField = varintField(2)
const severityTextField = bytesField(3)
const bodyField = bytesField(5)
const attributesField = bytesField(6)
const traceIdField = bytesField(9)
const spanIdField = bytesField(10)
const observedTimeField = bit64Field(11)
const eventNameField = bytesField(12)

/** Throws OtlpError for an invalid message, OtlpTooMuch for one beyond the limits. A large one is decoded in pieces. */
export async function decodeProtobufLogs(bytes: Uint8Array, allowance = new Allowance()): Promise<DecodedLogs> {
  const { spans, rejected } = await decodeProtobuf(bytes, allowance, {
    message: 'ExportLogsServiceRequest',
    decode: (wire, end, budget) => entryOf(logRecord(wire, end, budget)),
  })
  return new DecodedLogs(spans, rejected)
}

function logRecord(wire: Wire, end: number, allowance: Allowance): LogRecord {
  const log = empty()
  while (wire.at < end) {
    const tag = wire.tag(end)
    if (tag === attributesField) log.attributes.push(keyValue(wire, wire.span(end), allowance, 0))
    else if (tag === bodyField) log.body = anyValue(wire, wire.span(end), allowance, 0)
    else if (tag === timeField) log.micros = wire.micros(end)
    else if (tag === observedTimeField) log.observedMicros = wire.micros(end)
    else if (tag === severityNumberField) log.severityNumber = wire.int32(end)
    else if (tag === severityTextField) log.severity = wire.text(end)
    else if (tag === eventNameField) log.eventName = wire.text(end)
    else if (tag === traceIdField) log.traceId = wire.hex(end)
    else if (tag === spanIdField) log.spanId = wire.hex(end)
    else wire.skip(tag, end)
  }
  return log
}

/** Throws OtlpError for an invalid message, OtlpTooMuch for one beyond the limits. A large one is decoded in pieces. */
export async function decodeJsonLogs(bytes: Uint8Array, allowance = new Allowance()): Promise<DecodedLogs> {
  const { spans, rejected } = await decodeJson(bytes, allowance, {
    groups: 'resourceLogs',
    scopes: 'scopeLogs',
    items: 'logRecords',
    decode: (from, budget) => {
      const severityNumber = field(from, 'severityNumber')
      return entryOf({
        traceId: text(from, 'traceId').toLowerCase(),
        spanId: text(from, 'spanId').toLowerCase(),
        micros: micros(from, 'timeUnixNano'),
        observedMicros: micros(from, 'observedTimeUnixNano'),
        eventName: text(from, 'eventName'),
        severity: text(from, 'severityText'),
        severityNumber: typeof severityNumber === 'number' ? severityNumber : 0,
        body: jsonValue(field(from, 'body'), budget, 0),
        attributes: keyValues(from, 'attributes', budget, 0),
      })
    },
  })
  return new DecodedLogs(spans, rejected)
}

const empty = (): LogRecord => ({
  traceId: '',
  spanId: '',
  micros: 0,
  observedMicros: 0,
  eventName: '',
  severity: '',
  severityNumber: 0,
  body: null,
  attributes: [],
})
