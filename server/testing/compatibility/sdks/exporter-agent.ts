// One span with OpenTelemetry's exporter. Arguments: `json` or `protobuf`, and optionally `gzip`.
import { tracingOf } from './tracing.ts'

const [encoding, compression] = process.argv.slice(2)
const { provider, finish } = tracingOf(
  'checkout-agent',
  encoding === 'json' ? 'json' : 'protobuf',
  compression === 'gzip' ? 'gzip' : undefined,
)
const span = provider.getTracer('test').startSpan('chat small-1', {
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.system': 'mistral',
    'gen_ai.request.model': 'small-1',
    'gen_ai.usage.prompt_tokens': 11,
    'gen_ai.usage.completion_tokens': 7,
    'gen_ai.prompt.0.content': 'What is in the cart?',
  },
})
// A real stack would write this machine's paths into a recorded sample.
span.recordException({ name: 'Error', message: 'no such cart', stack: 'Error: no such cart\n    at checkout.js:1:1' })
span.setStatus({ code: 2, message: 'no such cart' })
span.end()
await finish()
