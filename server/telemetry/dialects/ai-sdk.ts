import type { SpanKind } from '#lib/schemas/traces.ts'
import { countIn, type Dialect, nameIn } from '../facts.ts'

/** The attributes of the `ai` SDK up to version 6. Version 7 uses OpenTelemetry's conventions. */
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
  // ai.generateText is the complete run, ai.generateText.doGenerate one model call in it.
  return /\.do[A-Z]/.test(operation) || operation.startsWith('ai.embed') ? 'model' : 'workflow'
}
