import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const { TELEMETRY_URL = '', TELEMETRY_TOKEN = '' } = process.env

/** OpenTelemetry's SDK and exporter, configured with only an endpoint and a header. */
export function tracingOf(service: string, encoding: 'json' | 'protobuf', compression?: 'gzip') {
  const Exporter = encoding === 'json' ? JsonExporter : ProtobufExporter
  const exporter = new Exporter({
    url: `${TELEMETRY_URL}/v1/traces`,
    headers: { authorization: `Bearer ${TELEMETRY_TOKEN}` },
    ...(compression === undefined ? {} : { compression: compression as never }),
  })
  let traceId = ''
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [
      new SimpleSpanProcessor(exporter),
      {
        onStart: () => undefined,
        onEnd(span: ReadableSpan) {
          traceId = span.spanContext().traceId
        },
        forceFlush: () => Promise.resolve(),
        shutdown: () => Promise.resolve(),
      },
    ],
  })
  return {
    provider,
    /** Sends the remaining spans, prints the id of the last trace and ends the process. */
    async finish() {
      await provider.forceFlush()
      process.stdout.write(`${traceId}\n`)
      process.exit()
    },
  }
}
