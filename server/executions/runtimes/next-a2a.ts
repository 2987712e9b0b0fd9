import type { JsonObject } from '#lib/json.ts'
import type { NextStep, StepRecord, ToolStep } from '#server/executions/state/next-step.ts'
import { TaskOutput } from './a2a-task.ts'

export const callId = (round: number): string => (round === 1 ? 'call' : `call-${round}`)
/** The step that waits for an answer to the agent's question, and the name of its input. */
export const replyId = (round: number): string => `reply-${round}`

/** The next step of an a2a runtime: the message that starts the task, then alternately a wait for a reply and a call with it. */
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
