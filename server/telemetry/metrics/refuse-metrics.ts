import { z } from 'zod'
import { query } from '#server/kernel/operation.ts'
import { otlpWire } from '../recorded.ts'

/** The number of data points in a request of metrics. */
export class CountedPoints {
  readonly count: number

  constructor(count: number) {
    this.count = count
  }
}

const Answer = z.object({
  partialSuccess: z.object({ rejectedDataPoints: z.string(), errorMessage: z.string() }).optional(),
})

export const metricsWire = otlpWire('resourceMetrics', Answer)

/**
 * Accepts a request of metrics and refuses all data points in it, so that an SDK that exports every signal to one endpoint
 * does not report failures. Nothing is stored.
 * Its input is what the transport has counted.
 */
export const refuseMetrics = query({
  permission: 'telemetry:write',
  connectionTokens: 'telemetry',
  input: z
    .custom<CountedPoints>((value) => value instanceof CountedPoints)
    .describe('ExportMetricsServiceRequest of OTLP/HTTP, as protobuf or JSON'),
  output: Answer,
  run: ({ input: { count } }) => {
    const errorMessage = 'Metrics are not stored. Set OTEL_METRICS_EXPORTER=none; Prometheus reads GET /v1/metrics.'
    return Promise.resolve(count === 0 ? {} : { partialSuccess: { rejectedDataPoints: String(count), errorMessage } })
  },
})
