import * as t from '#components/texts/execution/en.ts'
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
        title: error?.code === 'tool_failed' ? t.toolCallFailedSo : t.executionFailed,
        effect: `${why} ${done}`,
        advice: t.checkLastEntriesOf,
      }
    case 'denied':
      return {
        title: t.executionWasDeniedCall,
        effect: t.callWasNotMade({ why, done }),
        advice: adviceOnDenial(error?.code),
      }
    case 'rejected':
      return {
        title: t.reviewerRejectedCallSo,
        effect: t.toolWasNotCalled({ done }),
        advice: t.approvalContainsReasonJournal,
      }
    case 'expired':
      return {
        title: t.noOneDecidedIn,
        effect: t.toolWasNotCalled({ done }),
        advice: t.startNewExecutionWhen,
      }
    case 'timed_out':
      return {
        title: t.executionTookLongerThan,
        effect: `${why} ${done}`,
        advice: t.startNewExecutionOr,
      }
    case 'canceled':
      return {
        title: t.executionWasCanceled,
        effect: `${why} ${done}`,
        advice: t.startNewOneIf,
      }
    case 'indeterminate':
      return {
        title: t.itIsUnknownWhether,
        effect: t.itWasNotRepeated({ why, done }),
        advice: t.checkToolsOwnSystem,
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
  if (done === 0) return t.noToolCallWas
  return done === 1 ? t.oneToolCallWas : t.toolCallsWereCompleted({ done })
}

function adviceOnDenial(code: string | undefined): string {
  switch (code) {
    case 'no_eligible_approver':
      return t.policyRequiresApprovalThat
    case 'digest_mismatch':
      return t.callDifferedFromApproved
    case 'agent_suspended':
      return t.askOperatorToResume
    case 'release_required':
      return t.releaseAgentAgainFor
    default:
      return t.journalListsPolicyRules
  }
}
