import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { NextStep, StepRecord, ToolStep } from '#server/executions/state/next-step.ts'

/** The only step of a call through the gateway. Manifests cannot use this step id. */
export const gatewayStepId = 'mcp.call'

export const isGatewayCall = (records: readonly { stepId: string }[]): boolean =>
  records.some((record) => record.stepId === gatewayStepId)

/** The call described by the execution's input. */
export function gatewayStep(input: JsonObject): ToolStep {
  const { server, tool, arguments: args } = input
  if (typeof server !== 'string' || typeof tool !== 'string' || !isJsonObject(args))
    throw new Error('The input of this execution does not describe a call.')
  return { id: gatewayStepId, tool: { server, name: tool, arguments: args } }
}

/** One tool call, whose answer is the output. */
export function nextGateway(records: readonly StepRecord[], input: JsonObject): NextStep {
  const step = gatewayStep(input)
  const record = records.find((candidate) => candidate.stepId === gatewayStepId)
  switch (record?.status) {
    case 'succeeded':
      return { kind: 'done', output: record.output }
    case 'failed':
      return { kind: 'fail', step, code: 'tool_failed', message: String(record.output) }
    case 'waiting_approval':
    case 'approved':
    case 'calling':
      return { kind: 'resume', step, status: record.status }
    default: {
      const { server, name } = step.tool
      return { kind: 'call', step, tool: { server, name }, arguments: step.tool.arguments as JsonObject, index: -1 }
    }
  }
}

/** The member of an output that holds the parts of the answer which the other members do not say. */
export const contentMember = 'mcp/content'

/** What is stored of an answer through the gateway: its output, and all that the tool said, if that is more. */
export function wholeOutput(
  stepId: string,
  { output, content }: { output: JsonValue; content?: JsonValue[] },
): JsonValue {
  if (stepId !== gatewayStepId || content === undefined) return output
  return { ...(isJsonObject(output) ? output : {}), [contentMember]: content }
}
