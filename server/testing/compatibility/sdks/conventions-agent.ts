// One span with the attributes that OpenInference's package defines.
import { SemanticConventions } from '@arizeai/openinference-semantic-conventions'
import { tracingOf } from './tracing.ts'

const { provider, finish } = tracingOf('search', 'protobuf')
const span = provider.getTracer('openinference').startSpan('ChatCompletion', {
  attributes: {
    [SemanticConventions.OPENINFERENCE_SPAN_KIND]: 'LLM',
    [SemanticConventions.LLM_MODEL_NAME]: 'big-2',
    [SemanticConventions.LLM_TOKEN_COUNT_PROMPT]: 5,
    [SemanticConventions.LLM_TOKEN_COUNT_COMPLETION]: 6,
    [SemanticConventions.INPUT_VALUE]: 'a question',
    [SemanticConventions.OUTPUT_VALUE]: 'an answer',
    [`${SemanticConventions.LLM_INPUT_MESSAGES}.0.message.content`]: 'a question',
    [SemanticConventions.USER_ID]: 'u-17',
  },
})
span.end()
await finish()
