import type { SpanKind } from '#lib/schemas/traces.ts'
import { countIn, type Dialect, nameIn } from '../facts.ts'

const kinds: Readonly<Record<string, SpanKind>> = {
  chat: 'model',
  generate_content: 'model',
  text_completion: 'model',
  completion: 'model',
  embeddings: 'model',
  invoke_agent: 'agent',
  create_agent: 'agent',
  agent_step: 'agent',
  invoke_workflow: 'workflow',
  plan: 'workflow',
  execute_tool: 'tool',
  retrieval: 'tool',
  run_guardrail: 'policy',
}

/** OpenTelemetry's conventions for generative AI: the current ones, and those up to 1.36 (gen_ai.system, prompt_tokens). */
export const genAi: Dialect = (read) => {
  const operation = nameIn(read('gen_ai.operation.name'))
  const provider = nameIn(read('gen_ai.provider.name')) ?? nameIn(read('gen_ai.system'))
  const model = nameIn(read('gen_ai.response.model')) ?? nameIn(read('gen_ai.request.model'))
  const tool = nameIn(read('gen_ai.tool.name'))
  const agent = nameIn(read('gen_ai.agent.name'))
  const mcp = nameIn(read('mcp.method.name'))
  if (
    operation === undefined &&
    provider === undefined &&
    model === undefined &&
    mcp === undefined &&
    tool === undefined &&
    agent === undefined
  )
    return undefined
  const byOperation = operation !== undefined && Object.hasOwn(kinds, operation) ? kinds[operation] : undefined
  return {
    kind:
      byOperation ??
      (mcp === 'tools/call' || tool !== undefined
        ? 'tool'
        : model !== undefined
          ? 'model'
          : agent !== undefined
            ? 'agent'
            : 'other'),
    operation: operation ?? mcp,
    agent,
    model,
    provider,
    tool,
    conversation: nameIn(read('gen_ai.conversation.id')),
    inputTokens: countIn(read('gen_ai.usage.input_tokens')) ?? countIn(read('gen_ai.usage.prompt_tokens')),
    outputTokens: countIn(read('gen_ai.usage.output_tokens')) ?? countIn(read('gen_ai.usage.completion_tokens')),
  }
}
