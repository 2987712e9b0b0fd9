// An agent with Traceloop's SDK, in a separate process because the SDK patches the OpenAI library. Its endpoint, header and
// model come from the environment; it prints the id of its trace.
import { trace } from '@opentelemetry/api'
import * as traceloop from '@traceloop/node-server-sdk'
import OpenAI from 'openai'

const { TELEMETRY_URL = '', TELEMETRY_TOKEN = '', MODEL_URL = '' } = process.env

traceloop.initialize({
  appName: 'joke-service',
  baseUrl: TELEMETRY_URL,
  headers: { authorization: `Bearer ${TELEMETRY_TOKEN}` },
  disableBatch: true,
  silenceInitializationMessage: true,
  instrumentModules: { openAI: OpenAI },
})
const openai = new OpenAI({ baseURL: MODEL_URL, apiKey: 'unused', maxRetries: 0 })

const traceId = await traceloop.withWorkflow({ name: 'joke_creation' }, () =>
  traceloop.withAgent({ name: 'joke_teller' }, async () => {
    await traceloop.withTool({ name: 'lookup' }, (person: string) => Promise.resolve(`${person} likes cats`), 'Pavel')
    await openai.chat.completions.create({
      model: 'small-1',
      messages: [{ role: 'user', content: 'Tell a joke about Pavel' }],
    })
    return trace.getActiveSpan()?.spanContext().traceId
  }),
)
await traceloop.forceFlush()
process.stdout.write(`${traceId}\n`)
process.exit()
