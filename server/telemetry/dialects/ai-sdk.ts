import type { SpanKind } from '#lib/schemas/traces.ts'
import { countIn, type Dialect, nameIn } from '../facts.ts'

/** The `ai` SDK's own attributes, up to version 6; version 7 speaks OpenTelemetry's conventions. */
export const aiSdk: Dialect = (read) => {
  const operation = nameIn(read('ai.operationId'))
  if (operation === undefined) return undefined
  return {
    kind: kindOf(operation),
    operation,
    agent: nameIn(read('ai.telemetry.functionId')) ?? nameIn(read('resource.name')),
    model: nameIn(read('ai.response.model')) ?? nameIn(read('ai.model.id')),
    provider: nameIn(read('ai.model.provider')),
    tool: nameIn(read('ai.toolCall.name')),
    inputTokens: countIn(read('ai.usage.inputTokens')) ?? countIn(read('ai.usage.promptTokens')),
    outputTokens: countIn(read('ai.usage.outputTokens')) ?? countIn(read('ai.usage.completionTokens')),
  }
}

function kindOf(operation: string): SpanKind {
  if (operation === 'ai.toolCall') return 'tool'
  // ai.generateText is the whole run, ai.generateText.doGenerate one call of a model in it.
  return /\.do[A-Z]/.test(operation) || operation.startsWith('ai.embed') ? 'model' : 'workflow'
}
