import type { SpanKind } from '#lib/schemas/traces.ts'
import { countIn, type Dialect, nameIn } from '../facts.ts'

const kinds: Readonly<Record<string, SpanKind>> = {
  workflow: 'workflow',
  task: 'workflow',
  agent: 'agent',
  tool: 'tool',
}

/** Traceloop's OpenLLMetry. */
export const traceloop: Dialect = (read) => {
  const kind = nameIn(read('traceloop.span.kind'))
  const request = nameIn(read('llm.request.type'))
  const workflow = nameIn(read('traceloop.workflow.name'))
  if (kind === undefined && request === undefined && workflow === undefined) return undefined
  const entity = nameIn(read('traceloop.entity.name'))
  return {
    kind:
      (kind !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ??
      (request === undefined ? 'other' : 'model'),
    operation: kind ?? request,
    agent: kind === 'agent' ? entity : undefined,
    tool: kind === 'tool' ? entity : undefined,
    model: nameIn(read('llm.response.model')) ?? nameIn(read('llm.request.model')),
    inputTokens: countIn(read('llm.usage.prompt_tokens')),
    outputTokens: countIn(read('llm.usage.completion_tokens')),
  }
}
