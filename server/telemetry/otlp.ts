import type { JsonValue } from '#lib/json.ts'
import { wireLimits } from '#server/kernel/limits.ts'

// The decoded form of both encodings of OTLP. Nested key-value lists remain lists of {key, value}, never object keys.

export type KeyValue = { key: string; value: JsonValue }
export type OtlpEvent = { name: string; micros: number; attributes: KeyValue[] }

/** A link to another span, in this trace or another one. Links with invalid ids are omitted. */
export type OtlpLink = { traceId: string; spanId: string; attributes: KeyValue[] }

/** Ids in lower-case hex, times in microseconds since the epoch. */
export type OtlpSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  startMicros: number
  endMicros: number
  attributes: KeyValue[]
  events: OtlpEvent[]
  /** 0 unset, 1 ok, 2 error. */
  status: number
  statusMessage: string
  /** Absent without links, so that the text for comparing the span is the same as before links were stored. */
  links?: OtlpLink[]
}
export type Scoped = { resource: KeyValue[]; scope: string; span: OtlpSpan }

/** The request can't be decoded: 400, and the exporter must not send it again. */
export class OtlpError extends Error {}
/** `what`: the field, and what it must be. */
export const wrong = (what: string) => new OtlpError(`Not a valid OTLP request: ${what}.`)
/** Names the elements of a list in such a message. */
export const elementOf = (list: string): string => `each of ${list}`
/** The request contains more items than permitted, regardless of its size in bytes: 413. */
export class OtlpTooMuch extends Error {}
/** One span is refused; the others can be accepted. */
export class SpanRefused extends Error {}

const most = wireLimits.telemetry

/** Levels of lists within an attribute. */
export const maxDepth = most.depth

/** The number of refused spans, and the first reasons. */
export class Rejections {
  count = 0
  readonly reasons = new Set<string>()

  add(reason: string): void {
    this.count += 1
    if (this.reasons.size < 3) this.reasons.add(reason)
  }
}

/** A decoded request. Its members are private, so that code that traverses inputs does not visit a million values. */
export class Decoded {
  readonly #spans: readonly Scoped[]
  readonly #rejected: Rejections

  constructor(spans: readonly Scoped[], rejected: Rejections) {
    this.#spans = spans
    this.#rejected = rejected
  }
  get spans() {
    return this.#spans
  }
  get rejected() {
    return this.#rejected
  }
}

/** Decoded logs: each record as an entry below the span that it names. Their `spanId` is not final (logs/export-logs.ts). */
export class DecodedLogs extends Decoded {}

/** Counts what one request contains while it is read, so that few bytes can't become much memory or time. */
export class Allowance {
  #values = 0
  #spans = 0
  #groups = 0

  value(): void {
    this.#values += 1
    if (this.#values > most.values) throw tooMuch(most.values, 'values')
  }
  span(): void {
    this.#spans += 1
    if (this.#spans > most.spans) throw tooMuch(most.spans, 'spans')
  }
  /** A resource or a scope. */
  group(): void {
    this.#groups += 1
    if (this.#groups > most.groups) throw tooMuch(most.groups, 'resources and scopes')
  }
  /** What has been counted so far; no count exceeds its limit by more than one. */
  get counts() {
    return { values: this.#values, spans: this.#spans, groups: this.#groups }
  }
}

export const tooManyFields = () =>
  new OtlpTooMuch(`A span, resource or scope may contain at most ${most.fieldsInOne} fields.`)

const tooMuch = (limit: number, what: string) => new OtlpTooMuch(`A request may contain at most ${limit} ${what}.`)

/** Throws SpanRefused for invalid ids (W3C Trace Context: fixed length, not all zero) and invalid times. */
export function checkSpan(span: OtlpSpan): OtlpSpan {
  if (!isTraceId(span.traceId)) throw new SpanRefused('a trace id is 16 bytes, not all zero')
  if (!isSpanId(span.spanId)) throw new SpanRefused('a span id is 8 bytes, not all zero')
  if (span.parentSpanId !== null && !/^[0-9a-f]{16}$/.test(span.parentSpanId))
    throw new SpanRefused('a parent span id is 8 bytes')
  if (span.startMicros <= 0 || span.startMicros > Number.MAX_SAFE_INTEGER)
    throw new SpanRefused('a span needs its start, between 1970 and 2255')
  if (span.endMicros > Number.MAX_SAFE_INTEGER) throw new SpanRefused('a span ends before 2255')
  // A clock may have been set back during the span, but a span must not end before its start.
  if (span.endMicros < span.startMicros) span.endMicros = span.startMicros
  if (span.parentSpanId !== null && /^0+$/.test(span.parentSpanId)) span.parentSpanId = null
  return span
}

/** The vendor's part of a link's context concerns only the vendor, so it is stored as a sensitive value. */
export const traceStateKey = 'w3c.tracestate'

/** Adds a link to its span, unless its ids are invalid. */
export function addLink(span: OtlpSpan, link: OtlpLink): void {
  if (!isTraceId(link.traceId) || !isSpanId(link.spanId)) return
  span.links ??= []
  span.links.push(link)
}

const isTraceId = (id: string) => /^[0-9a-f]{32}$/.test(id) && !/^0+$/.test(id)
const isSpanId = (id: string) => /^[0-9a-f]{16}$/.test(id) && !/^0+$/.test(id)

/** PostgreSQL can't store U+0000 or lone surrogates. */
export const storable = (text: string): string => {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\u0000') ? whole.replaceAll('\u0000', '\ufffd') : whole
}

/** JSON lacks NaN and infinities, and JCS integers beyond 2^53 − 1, so they are stored as text. */
export const numeric = (value: number): number | string =>
  !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
    ? String(value)
    : Object.is(value, -0)
      ? 0
      : value
