import { BinaryWriter } from '@bufbuild/protobuf/wire'

// Encodes OTLP requests by hand: the encoder shares only the wire format with the decoder.

export type OtlpValue = string | number | boolean | OtlpValue[] | { pairs: [string, OtlpValue][] }
export type TestSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name?: string
  startMs?: number
  endMs?: number
  attributes?: [key: string, value: OtlpValue][]
  status?: { code: number; message?: string }
  events?: { name: string; attributes: [string, OtlpValue][] }[]
  links?: { traceId: string; spanId: string; traceState?: string; attributes?: [string, OtlpValue][] }[]
}

export const nanos = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n)

export function jsonValue(value: OtlpValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } }
  return { kvlistValue: { values: jsonPairs(value.pairs) } }
}
export const jsonPairs = (pairs: [string, OtlpValue][]) =>
  pairs.map(([key, value]) => ({ key, value: jsonValue(value) }))

export const otlpJson = (spans: readonly TestSpan[], resource: [string, OtlpValue][] = []): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: jsonPairs(resource) },
        scopeSpans: [
          {
            scope: { name: 'test' },
            spans: spans.map((span) => ({
              traceId: span.traceId.toUpperCase(),
              spanId: span.spanId,
              ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
              name: span.name ?? 'work',
              kind: 1,
              startTimeUnixNano: nanos(span.startMs ?? 1_795_000_000_000),
              endTimeUnixNano: nanos(span.endMs ?? 1_795_000_000_010),
              attributes: jsonPairs(span.attributes ?? []),
              events: (span.events ?? []).map(({ name, attributes }) => ({
                name,
                timeUnixNano: nanos(span.startMs ?? 1_795_000_000_000),
                attributes: jsonPairs(attributes),
              })),
              ...(span.status === undefined ? {} : { status: span.status }),
              links: (span.links ?? []).map(({ attributes = [], ...link }) => ({
                ...link,
                attributes: jsonPairs(attributes),
              })),
            })),
          },
        ],
      },
    ],
  })

export const message = (write: (writer: BinaryWriter) => void): Uint8Array => {
  const writer = new BinaryWriter()
  write(writer)
  return writer.finish()
}

export function valueBytes(value: OtlpValue): Uint8Array {
  return message((at) => {
    if (typeof value === 'string') at.tag(1, 2).string(value)
    else if (typeof value === 'boolean') at.tag(2, 0).bool(value)
    else if (typeof value === 'number' && Number.isInteger(value)) at.tag(3, 0).int64(value)
    else if (typeof value === 'number') at.tag(4, 1).double(value)
    else if (Array.isArray(value))
      at.tag(5, 2).bytes(
        message((list) => {
          for (const inner of value) list.tag(1, 2).bytes(valueBytes(inner))
        }),
      )
    else
      at.tag(6, 2).bytes(
        message((list) => {
          for (const pair of value.pairs) list.tag(1, 2).bytes(pairBytes(pair))
        }),
      )
  })
}
export const pairBytes = ([key, value]: [string, OtlpValue]) =>
  message((at) => at.tag(1, 2).string(key).tag(2, 2).bytes(valueBytes(value)))

const spanBytes = (span: TestSpan): Uint8Array =>
  message((at) => {
    at.tag(1, 2).bytes(Buffer.from(span.traceId, 'hex')).tag(2, 2).bytes(Buffer.from(span.spanId, 'hex'))
    if (span.parentSpanId !== undefined) at.tag(4, 2).bytes(Buffer.from(span.parentSpanId, 'hex'))
    at.tag(5, 2)
      .string(span.name ?? 'work')
      .tag(6, 0)
      .int32(1)
    at.tag(7, 1).fixed64(nanos(span.startMs ?? 1_795_000_000_000))
    at.tag(8, 1).fixed64(nanos(span.endMs ?? 1_795_000_000_010))
    for (const pair of span.attributes ?? []) at.tag(9, 2).bytes(pairBytes(pair))
    for (const { name, attributes } of span.events ?? [])
      at.tag(11, 2).bytes(
        message((event) => {
          event
            .tag(1, 1)
            .fixed64(nanos(span.startMs ?? 1_795_000_000_000))
            .tag(2, 2)
            .string(name)
          for (const pair of attributes) event.tag(3, 2).bytes(pairBytes(pair))
        }),
      )
    for (const { traceId, spanId, traceState = '', attributes = [] } of span.links ?? [])
      at.tag(13, 2).bytes(
        message((link) => {
          link.tag(1, 2).bytes(Buffer.from(traceId, 'hex')).tag(2, 2).bytes(Buffer.from(spanId, 'hex'))
          link.tag(3, 2).string(traceState)
          for (const pair of attributes) link.tag(4, 2).bytes(pairBytes(pair))
        }),
      )
    const { status } = span
    if (status !== undefined)
      at.tag(15, 2).bytes(
        message((inner) =>
          inner
            .tag(2, 2)
            .string(status.message ?? '')
            .tag(3, 0)
            .int32(status.code),
        ),
      )
  })

export const otlpProtobuf = (
  spans: readonly TestSpan[],
  resource: [string, OtlpValue][] = [],
): Uint8Array<ArrayBuffer> => {
  const scope = message((at) => {
    at.tag(1, 2).bytes(message((inner) => inner.tag(1, 2).string('test')))
    for (const span of spans) at.tag(2, 2).bytes(spanBytes(span))
  })
  const group = message((at) => {
    at.tag(1, 2).bytes(
      message((inner) => {
        for (const pair of resource) inner.tag(1, 2).bytes(pairBytes(pair))
      }),
    )
    at.tag(2, 2).bytes(scope)
  })
  return new Uint8Array(message((at) => at.tag(1, 2).bytes(group)))
}
