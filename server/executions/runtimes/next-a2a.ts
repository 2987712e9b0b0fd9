import type { JsonObject } from '#lib/json.ts'
import type { NextStep, StepRecord, ToolStep } from '#server/executions/state/next-step.ts'
import { TaskOutput } from './a2a-task.ts'

export const callId = (round: number): string => (round === 1 ? 'call' : `call-${round}`)
/** The step that waits for what the agent asked for, and the name of the input that it waits for. */
export const replyId = (round: number): string => `reply-${round}`

/** The message that begins the agent's task, or what the agent asked for next: each is one call and, before the next, one wait. */
export function nextA2a(records: readonly StepRecord[], input: JsonObject): NextStep {
  const byId = new Map(records.map((record) => [record.stepId, record]))
  let args = input
  for (let round = 1; ; round += 1) {
    const step: ToolStep = { id: callId(round), tool: { server: 'agent', name: 'a2a', arguments: args } }
    const call = byId.get(step.id)
    if (call?.status === 'waiting_approval' || call?.status === 'approved' || call?.status === 'calling')
      return { kind: 'resume', step, status: call.status }
    if (call?.status !== 'succeeded')
      return { kind: 'call', step, tool: { server: 'agent', name: 'a2a' }, arguments: args, index: -1 }
    const task = TaskOutput.parse(call.output)
    if (task.state !== 'input_required') return { kind: 'done', output: call.output }
    const wait = { id: replyId(round), wait: { input: replyId(round) } }
    const reply = byId.get(wait.id)
    if (reply?.status === 'waiting_input') return { kind: 'waiting', step: wait }
    if (reply?.status !== 'succeeded') return { kind: 'wait', step: wait }
    args = { taskId: task.taskId, contextId: task.contextId, reply: reply.output }
  }
}
