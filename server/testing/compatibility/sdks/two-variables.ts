// One span, one log record within it and one metric, with OpenTelemetry's SDK as environment variables configure it.
import { metrics, trace } from '@opentelemetry/api'
import { logs } from '@opentelemetry/api-logs'
import { NodeSDK } from '@opentelemetry/sdk-node'

const sdk = new NodeSDK()
sdk.start()
metrics.getMeter('test').createCounter('orders').add(1)
trace.getTracer('test').startActiveSpan('chat small-1', (span) => {
  span.setAttribute('gen_ai.agent.name', 'node-agent')
  logs.getLogger('shop').emit({ eventName: 'gen_ai.user.message', body: { content: 'What did Mr Novak order?' } })
  span.end()
  process.stdout.write(`${span.spanContext().traceId}\n`)
})
await sdk.shutdown()
