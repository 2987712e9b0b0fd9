import { jsonPairs, jsonValue, message, nanos, type OtlpValue, pairBytes, valueBytes } from './otlp.ts'

/** A log record; without ids, one that names no span. */
export type TestLog = {
  traceId?: string
  spanId?: string
  eventName?: string
  severity?: string
  /** By default 9 if there is a text. */
  severityNumber?: number | string
  body?: OtlpValue
  attributes?: [key: string, value: OtlpValue][]
  ms?: number
  /** Leaves out the time, so that only the time of observation is known. */
  observed?: true
}

const usualMs = 1_795_000_000_005

/** An ExportLogsServiceRequest as JSON. */
export const logsJson = (logs: readonly TestLog[], resource: [string, OtlpValue][] = []): string =>
  JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: jsonPairs(resource) },
        scopeLogs: [
          {
            scope: { name: 'test' },
            logRecords: logs.map(
              ({ ms = usualMs, observed, severity, severityNumber, body, attributes = [], ...ids }) => ({
                ...ids,
                ...(observed ? {} : { timeUnixNano: nanos(ms) }),
                observedTimeUnixNano: nanos(ms),
                ...(severity === undefined ? {} : { severityNumber: 9, severityText: severity }),
                ...(severityNumber === undefined ? {} : { severityNumber }),
                ...(body === undefined ? {} : { body: jsonValue(body) }),
                attributes: jsonPairs(attributes),
              }),
            ),
          },
        ],
      },
    ],
  })

const logBytes = (log: TestLog) =>
  message((at) => {
    const { traceId, spanId, eventName, severity, severityNumber, body, attributes = [], ms = usualMs, observed } = log
    if (!observed) at.tag(1, 1).fixed64(nanos(ms))
    if (severity !== undefined) at.tag(2, 0).int32(9).tag(3, 2).string(severity)
    if (severityNumber !== undefined) at.tag(2, 0).int32(Number(severityNumber))
    if (body !== undefined) at.tag(5, 2).bytes(valueBytes(body))
    for (const pair of attributes) at.tag(6, 2).bytes(pairBytes(pair))
    at.tag(8, 5).fixed32(1)
    if (traceId !== undefined) at.tag(9, 2).bytes(Buffer.from(traceId, 'hex'))
    if (spanId !== undefined) at.tag(10, 2).bytes(Buffer.from(spanId, 'hex'))
    at.tag(11, 1).fixed64(nanos(ms))
    if (eventName !== undefined) at.tag(12, 2).string(eventName)
  })

/** An ExportLogsServiceRequest as protobuf. */
export function logsProtobuf(logs: readonly TestLog[], resource: [string, OtlpValue][] = []): Uint8Array<ArrayBuffer> {
  const scope = message((at) => {
    at.tag(1, 2).bytes(message((inner) => inner.tag(1, 2).string('test')))
    for (const log of logs) at.tag(2, 2).bytes(logBytes(log))
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

/** The kinds of metrics, with the fields of protobuf: each has a list of data points. */
export const metricKinds = { gauge: 5, sum: 7, histogram: 9, exponentialHistogram: 10, summary: 11 } as const
type MetricKind = keyof typeof metricKinds

/** An ExportMetricsServiceRequest as JSON, with this number of data points of each kind. */
export const metricsJson = (points: Partial<Record<MetricKind, number>>): string =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: [] },
        scopeMetrics: [
          {
            scope: { name: 'test' },
            metrics: Object.entries(points).map(([kind, count]) => ({
              name: kind,
              unit: '1',
              [kind]: {
                dataPoints: Array.from({ length: count }, () => ({ asInt: '1', attributes: jsonPairs([['a', 'b']]) })),
              },
            })),
          },
        ],
      },
    ],
  })

/** The same as protobuf. */
export function metricsProtobuf(points: Partial<Record<MetricKind, number>>): Uint8Array<ArrayBuffer> {
  const point = message((at) =>
    at
      .tag(6, 1)
      .fixed64('1')
      .tag(7, 2)
      .bytes(pairBytes(['a', 'b'])),
  )
  const metrics = Object.entries(points).map(([kind, count]) =>
    message((at) => {
      at.tag(1, 2).string(kind).tag(3, 2).string('1')
      at.tag(metricKinds[kind as MetricKind], 2).bytes(
        message((data) => {
          for (let index = 0; index < count; index += 1) data.tag(1, 2).bytes(point)
          data.tag(2, 0).int32(2)
        }),
      )
    }),
  )
  const scope = message((at) => {
    at.tag(1, 2).bytes(message((inner) => inner.tag(1, 2).string('test')))
    for (const metric of metrics) at.tag(2, 2).bytes(metric)
  })
  const group = message((at) => at.tag(1, 2).bytes(new Uint8Array()).tag(2, 2).bytes(scope))
  return new Uint8Array(message((at) => at.tag(1, 2).bytes(group)))
}
