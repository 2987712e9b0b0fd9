import type { ExecutionStatus } from '#lib/schemas/executions.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { spanIdOf, waitSpanId } from '#server/executions/state/spans.ts'
import { findStepApproval } from '#server/executions/state/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { EndedSpan } from '#server/traces/recording/record.ts'

type Step = Loaded['steps'][number]

/**
 * The ends of the spans that are still open when an execution ends, whatever ends it: an ended trace must not show a step that still
 * runs or waits. The end of a span that the caller has ended itself changes nothing.
 */
export async function openSpanEnds(
  tx: Transaction,
  { tenant, row, steps }: Loaded,
  status: ExecutionStatus,
): Promise<EndedSpan[]> {
  const ends: EndedSpan[] = []
  for (const step of steps) {
    if (step.status === 'calling' && step.spanId !== null) ends.push(callEnd(step.spanId))
    if (step.status === 'waiting_input') ends.push(waitEnd(step))
    if (step.status === 'waiting_approval' && step.approvalId !== null) ends.push(await approvalEnd(step.approvalId))
  }
  return ends

  function callEnd(spanId: string): EndedSpan {
    const isStopped = status === 'canceled'
    return {
      spanId,
      status: isStopped ? 'unset' : 'error',
      statusMessage: isStopped ? 'The execution was stopped.' : 'The outcome of this call is unknown.',
      attributes: [],
      endedAt: new Date(),
    }
  }

  function waitEnd({ stepId }: Step): EndedSpan {
    return {
      spanId: waitSpanId(row.traceId, stepId),
      status: 'unset',
      attributes: [{ key: 'countersign.wait.outcome', value: 'canceled' }],
      endedAt: new Date(),
    }
  }

  async function approvalEnd(approvalId: string): Promise<EndedSpan> {
    const approval = await findStepApproval(tx, tenant.id, approvalId)
    return {
      spanId: spanIdOf(row.traceId, approvalId),
      status: spanStatusOf(approval.status),
      attributes: [{ key: 'countersign.approval.status', value: approval.status }],
      endedAt: approval.decidedAt ?? new Date(),
    }
  }
}

/** A request that was withdrawn, or that its execution did not wait for, is neither fulfilled nor an error. */
function spanStatusOf(approval: string): EndedSpan['status'] {
  if (approval === 'approved') return 'ok'
  return approval === 'canceled' || approval === 'pending' ? 'unset' : 'error'
}
