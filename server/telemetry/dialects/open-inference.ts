import type { SpanKind } from '#lib/schemas/traces.ts'
import { countIn, type Dialect, nameIn } from '../facts.ts'

const kinds: Readonly<Record<string, SpanKind>> = {
  LLM: 'model',
  EMBEDDING: 'model',
  AGENT: 'agent',
  TOOL: 'tool',
  RETRIEVER: 'tool',
  RERANKER: 'tool',
  CHAIN: 'workflow',
  GUARDRAIL: 'policy',
}

/** Arize's OpenInference. */
export const openInference: Dialect = (read, name) => {
  const kind = nameIn(read('openinference.span.kind'))
  if (kind === undefined) return undefined
  return {
    kind: (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? 'other',
    operation: kind.toLowerCase(),
    agent: nameIn(read('agent.name')) ?? (kind === 'AGENT' ? nameIn(name) : undefined),
    model: nameIn(read('llm.model_name')) ?? nameIn(read('embedding.model_name')),
    provider: nameIn(read('llm.provider')) ?? nameIn(read('llm.system')),
    tool: nameIn(read('tool.name')),
    conversation: nameIn(read('session.id')),
    inputTokens: countIn(read('llm.token_count.prompt')),
    outputTokens: countIn(read('llm.token_count.completion')),
  }
}
