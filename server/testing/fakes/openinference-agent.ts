// An agent as somebody writes it with OpenInference's instrumentation of the OpenAI library, as a process of its own: it patches
// what it finds. Its endpoint, its header and its model come from the environment; prints the id of its trace.
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import OpenAI from 'openai'

const { TELEMETRY_URL = '', TELEMETRY_TOKEN = '', MODEL_URL = '' } = process.env

const exporter = new OTLPTraceExporter({
  url: `${TELEMETRY_URL}/v1/traces`,
  headers: { authorization: `Bearer ${TELEMETRY_TOKEN}` },
})
let traceId = ''
const tracerProvider = new BasicTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'searcher' }),
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
new OpenAIInstrumentation({ tracerProvider }).manuallyInstrument(OpenAI)
const openai = new OpenAI({ baseURL: MODEL_URL, apiKey: 'unused', maxRetries: 0 })
await openai.chat.completions.create({
  model: 'small-1',
  messages: [{ role: 'user', content: 'Tell a joke about Pavel' }],
})
await tracerProvider.forceFlush()
process.stdout.write(`${traceId}\n`)
process.exit()
