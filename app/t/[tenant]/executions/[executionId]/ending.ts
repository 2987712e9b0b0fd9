import type { Execution } from '#lib/schemas/executions.ts'

/** The explanation of an unsuccessful end: what happened, whether anything changed, what to do. */
export type Ending = { title: string; effect: string; advice: string }

type Unsuccessful = Pick<Execution, 'status' | 'error' | 'steps'>

/** Returns undefined while the execution can still continue, and after success. */
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
        advice: 'Check the last entries of the journal, fix the cause, then start a new execution.',
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
        advice: 'The approval contains the reason. The journal links to it.',
      }
    case 'expired':
      return {
        title: 'No one decided in time, which counts as rejection.',
        effect: `The tool was not called. ${done}`,
        advice: 'Start a new execution when a reviewer is available.',
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
        title: 'It is unknown whether the last call took effect.',
        effect: `${why} It was not repeated, because repeating it could do it twice. ${done}`,
        advice: 'Check the tool’s own system before you start another execution.',
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
  return done === 1 ? 'One tool call was completed earlier.' : `${done} tool calls were completed earlier.`
}

function adviceOnDenial(code: string | undefined): string {
  switch (code) {
    case 'no_eligible_approver':
      return 'The policy requires an approval that no one can give. Add a member to the approver group who is neither the requester nor an owner of the agent.'
    case 'digest_mismatch':
      return 'The call differed from the approved one. Start a new execution.'
    case 'agent_suspended':
      return 'Ask an operator to resume the agent, then start a new execution.'
    case 'release_required':
      return 'Release the agent again for this environment, then start a new execution.'
    default:
      return 'The journal lists the policy rules. To permit the call, change its policy and have the change approved.'
  }
}
