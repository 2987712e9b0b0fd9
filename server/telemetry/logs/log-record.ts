import { checkSpan, type KeyValue, type OtlpSpan, SpanRefused } from '../otlp.ts'

/** One LogRecord of OTLP, in either encoding. `spanId` is the span that it names, '' if none. */
export type LogRecord = {
  traceId: string
  spanId: string
  micros: number
  observedMicros: number
  eventName: string
  severity: string
  /** 1 to 24, or 0. */
  severityNumber: number
  body: KeyValue['value']
  attributes: KeyValue[]
}

/** Where a record without a name of its own gets one: the attribute of semantic conventions before `event_name` existed. */
const nameAttribute = 'event.name'
const unnamed = 'log record'
const severities = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']

/** The short name of a number (OpenTelemetry, logs data model): INFO for 9, INFO2 for 10. '' for one that does not have a name. */
function severityNamed(number: number): string {
  const [name, rank] = [severities[Math.floor((number - 1) / 4)], ((number - 1) % 4) + 1]
  if (name === undefined || !Number.isInteger(number)) return ''
  return rank === 1 ? name : `${name}${rank}`
}

/**
 * Converts a record to an entry without duration below the span that it names. Its body is the attribute `body`, which is
 * content. The entry has the id of its parent until the tenant's key is known. Throws SpanRefused for a record that names no
 * span, because it does not belong to a trace.
 */
export function entryOf(log: LogRecord): OtlpSpan {
  const { traceId, spanId, eventName, body } = log
  if (traceId === '' || spanId === '') throw new SpanRefused('a log record that does not name a span is not stored')
  const attributes = [...log.attributes]
  const severity = log.severity || severityNamed(log.severityNumber)
  const stated = attributes.find(({ key }) => key === nameAttribute)?.value
  if (severity !== '') attributes.push({ key: 'log.severity', value: severity })
  if (body !== null) attributes.push({ key: 'body', value: body })
  const micros = log.micros || log.observedMicros
  return checkSpan({
    traceId,
    spanId,
    parentSpanId: spanId,
    name: eventName || (typeof stated === 'string' && stated !== '' ? stated : unnamed),
    startMicros: micros,
    endMicros: micros,
    attributes,
    events: [],
    status: 0,
    statusMessage: '',
  })
}
