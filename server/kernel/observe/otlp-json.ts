import { isJsonObject, type JsonValue } from '#lib/json.ts'

// The JSON of OTLP (opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): 64-bit numbers are strings.

export const otlpNanos = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

/** Any JSON value as AnyValue. Null is a value without a kind. */
export function otlpValue(value: JsonValue): object {
  if (value === null) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (isJsonObject(value)) return { kvlistValue: { values: otlpAttributes(value) } }
  return { arrayValue: { values: value.map(otlpValue) } }
}

export const otlpAttributes = (members: { readonly [key: string]: JsonValue }): object[] =>
  Object.entries(members).map(([key, value]) => ({ key, value: otlpValue(value) }))
