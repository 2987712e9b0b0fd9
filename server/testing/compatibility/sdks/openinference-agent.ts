// An agent with OpenInference's instrumentation of the OpenAI library, in a separate process because it patches that library.
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import OpenAI from 'openai'
import { tracingOf } from './tracing.ts'

const { MODEL_URL = '' } = process.env

const { provider, finish } = tracingOf('searcher', 'json')
new OpenAIInstrumentation({ tracerProvider: provider }).manuallyInstrument(OpenAI)
const openai = new OpenAI({ baseURL: MODEL_URL, apiKey: 'unused', maxRetries: 0 })
await openai.chat.completions.create({
  model: 'small-1',
  messages: [{ role: 'user', content: 'Tell a joke about Pavel' }],
})
await finish()
