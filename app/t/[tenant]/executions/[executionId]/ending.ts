import type { Execution } from '#lib/schemas/executions.ts'

/** How an execution ended that did not succeed: what happened, whether anything changed, what to do. */
export type Ending = { title: string; effect: string; advice: string }

type Unsuccessful = Pick<Execution, 'status' | 'error' | 'steps'>

/** Undefined while it can still go on, and after success. */
export function endingOf({ status, error, steps }: Unsuccessful): Ending | undefined {
  const why = error?.message ?? ''
  const done = callsDone(steps)
  switch (status) {
    case 'failed':
      return {
        title:
          error?.code === 'tool_failed'
            ? 'A tool reported a failure, so the execution stopped.'
            : 'The execution failed.',
        effect: `${why} ${done}`,
        advice: 'Read the last entries of the journal; after the cause is gone, start a new execution.',
      }
    case 'denied':
      return {
        title: 'The execution was denied: a call was not permitted.',
        effect: `${why} The call was not made. ${done}`,
        advice: adviceOnDenial(error?.code),
      }
    case 'rejected':
      return {
        title: 'A reviewer rejected the call, so the execution stopped.',
        effect: `The tool was not called. ${done}`,
        advice: 'The reason stands in the approval, which the journal links to.',
      }
    case 'expired':
      return {
        title: 'Nobody decided in time, which counts as rejection.',
        effect: `The tool was not called. ${done}`,
        advice: 'Start a new execution when a reviewer is there to decide.',
      }
    case 'timed_out':
      return {
        title: 'The execution took longer than its manifest allows.',
        effect: `${why} ${done}`,
        advice: 'Start a new execution, or give the agent more time in its manifest (limits.timeout).',
      }
    case 'canceled':
      return {
        title: 'The execution was canceled.',
        effect: `${why} ${done}`,
        advice: 'Start a new one if it is still needed.',
      }
    case 'indeterminate':
      return {
        title: 'Nobody knows whether the last call took effect.',
        effect: `${why} It was not repeated, because repeating it could do it twice. ${done}`,
        advice: 'Look into the tool’s own system before you start another execution.',
      }
    case 'queued':
    case 'running':
    case 'waiting_approval':
    case 'waiting_input':
    case 'succeeded':
      return undefined
  }
}

function callsDone(steps: Execution['steps']): string {
  const done = steps.filter((step) => step.kind === 'tool' && step.status === 'succeeded').length
  if (done === 0) return 'No tool call was completed.'
  return done === 1 ? 'One tool call was completed before.' : `${done} tool calls were completed before.`
}

function adviceOnDenial(code: string | undefined): string {
  switch (code) {
    case 'no_eligible_approver':
      return 'The policy asks for an approval that nobody could give: someone else than the requester and the agent’s owners must be in the approvers’ group.'
    case 'digest_mismatch':
      return 'Start a new execution: what would have run is not what was approved.'
    case 'agent_suspended':
      return 'An operator can resume the agent; then start a new execution.'
    case 'release_required':
      return 'Release the agent again for this environment, then start a new execution.'
    default:
      return 'The policy’s rules stand in the journal. If the call should be permitted, its policy has to be changed and approved.'
  }
}
