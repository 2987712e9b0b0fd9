import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { decodeProtobuf } from '#server/telemetry/decode-protobuf.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import { otlpProtobuf } from './otlp.ts'
import type { TestTenant } from './tenant.ts'

/** Two spans of one request, with a resource, an event and a link. */
export async function sendTelemetry(tenant: TestTenant): Promise<void> {
  const exporter = await tenant.as('exporter', { roles: ['traces:write'] })
  const times = { startMs: Date.now() - 5, endMs: Date.now() }
  const more = {
    events: [{ name: 'exception', attributes: [['exception.type', 'timeout'] as [string, string]] }],
    links: [{ traceId: newTraceId(), spanId: newSpanId(), attributes: [['why', 'retry'] as [string, string]] }],
  }
  const traceId = newTraceId()
  const spans = ['chat', 'after'].map((name) => ({ traceId, spanId: newSpanId(), name, ...times, ...more }))
  const request = await decodeProtobuf(otlpProtobuf(spans, [['service.name', 'searcher']]))
  await execute(exportSpans, exporter, request, { name: 'telemetry.export' })
}
