import { z } from 'zod'
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
  storable,
  traceStateKey,
} from './otlp.ts'

// OTLP/JSON is not the JSON mapping of protobuf: ids are hex in any case, enumerations are integers, 64-bit integers are
// text or numbers, unknown fields are ignored (opentelemetry-proto, docs/specification.md).

/** Throws OtlpError for an invalid message. */
export function decodeJson(bytes: Uint8Array): Decoded {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // Without its cause, because the parser's message quotes the body, which must not be logged.
    throw new OtlpError('The body is not valid JSON.')
  }
  return decodeRequest(body)
}

/** The same for a parsed body. */
export function decodeRequest(body: unknown): Decoded {
  const rejected = new Rejections()
  const spans: Scoped[] = []
  const allowance = new Allowance()
  for (const group of list(record(body), 'resourceSpans')) {
    const resource = keyValues(optional(group, 'resource'), 'attributes', allowance, 0)
    for (const scoped of list(record(group), 'scopeSpans')) {
      const scope = text(optional(scoped, 'scope'), 'name')
      for (const raw of list(record(scoped), 'spans')) {
        allowance.span()
        try {
          spans.push({ resource, scope, span: checkSpan(spanOf(record(raw), allowance)) })
        } catch (error) {
          if (!(error instanceof SpanRefused)) throw error
          rejected.add(error.message)
        }
      }
    }
  }
  return new Decoded(spans, rejected)
}

type Fields = Record<string, unknown>

const wrong = (what: string) => new OtlpError(`Not a valid ExportTraceServiceRequest: ${what}.`)

const Plain = z.custom<Fields>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))

function record(value: unknown): Fields {
  const found = Plain.safeParse(value)
  if (!found.success) throw wrong('expected an object')
  return found.data
}

/** Reads own members only: an inherited `constructor` was not sent. */
const field = (from: Fields, name: string): unknown => (Object.hasOwn(from, name) ? from[name] : undefined)

function optional(from: unknown, name: string): Fields {
  const value = field(record(from), name)
  return value === undefined || value === null ? {} : record(value)
}

function list(from: Fields, name: string): unknown[] {
  const value = field(from, name)
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw wrong(`${name} must be a list`)
  return value
}

function text(from: Fields, name: string): string {
  const value = field(from, name)
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw wrong(`${name} must be a string`)
  return storable(value)
}

function spanOf(from: Fields, allowance: Allowance): OtlpSpan {
  const status = optional(from, 'status')
  const code = field(status, 'code') ?? 0
  if (typeof code !== 'number') throw wrong('status.code must be a number')
  const span: OtlpSpan = {
    traceId: text(from, 'traceId').toLowerCase(),
    spanId: text(from, 'spanId').toLowerCase(),
    parentSpanId: text(from, 'parentSpanId').toLowerCase() || null,
    name: text(from, 'name'),
    startMicros: micros(from, 'startTimeUnixNano'),
    endMicros: micros(from, 'endTimeUnixNano'),
    attributes: keyValues(from, 'attributes', allowance, 0),
    events: list(from, 'events').map((raw): OtlpEvent => {
      allowance.value()
      const event = record(raw)
      return {
        name: text(event, 'name'),
        micros: micros(event, 'timeUnixNano'),
        attributes: keyValues(event, 'attributes', allowance, 0),
      }
    }),
    status: code,
    statusMessage: text(status, 'message'),
  }
  for (const raw of list(from, 'links')) addLink(span, linkOf(record(raw), allowance))
  return span
}

function linkOf(from: Fields, allowance: Allowance): OtlpLink {
  allowance.value()
  const attributes = keyValues(from, 'attributes', allowance, 0)
  const state = text(from, 'traceState')
  if (state !== '') attributes.push({ key: traceStateKey, value: state })
  return { traceId: text(from, 'traceId').toLowerCase(), spanId: text(from, 'spanId').toLowerCase(), attributes }
}

function keyValues(from: Fields, name: string, allowance: Allowance, depth: number): KeyValue[] {
  return list(from, name).map((raw) => {
    allowance.value()
    const pair = record(raw)
    return { key: text(pair, 'key'), value: anyValue(field(pair, 'value'), allowance, depth) }
  })
}

function anyValue(raw: unknown, allowance: Allowance, depth: number): JsonValue {
  if (raw === undefined || raw === null) return null
  if (depth > maxDepth) throw new SpanRefused(`a value is nested more than ${maxDepth} levels deep`)
  allowance.value()
  const value = record(raw)
  if (Object.hasOwn(value, 'stringValue')) return text(value, 'stringValue')
  if (Object.hasOwn(value, 'boolValue')) return value.boolValue === true
  if (Object.hasOwn(value, 'intValue')) return integer(value.intValue)
  if (Object.hasOwn(value, 'doubleValue')) return double(value.doubleValue)
  if (Object.hasOwn(value, 'arrayValue'))
    return list(optional(value, 'arrayValue'), 'values').map((inner) => anyValue(inner, allowance, depth + 1))
  if (Object.hasOwn(value, 'kvlistValue'))
    return keyValues(optional(value, 'kvlistValue'), 'values', allowance, depth + 1)
  if (Object.hasOwn(value, 'bytesValue')) return text(value, 'bytesValue')
  return null
}

function integer(value: unknown): number | string {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^-?\d{1,20}$/.test(value)))
    throw wrong('intValue must be an integer')
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function double(value: unknown): number | string {
  if (typeof value === 'number') return numeric(value)
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return value
  throw wrong('doubleValue must be a number')
}

/** Converts nanoseconds, as text or number, to microseconds. */
function micros(from: Fields, name: string): number {
  const value = field(from, name)
  if (value === undefined || value === null) return 0
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return Number(value.slice(0, -3))
  if (typeof value === 'number' && value >= 0) return Math.floor(value / 1000)
  throw wrong(`${name} must be a number of nanoseconds`)
}
