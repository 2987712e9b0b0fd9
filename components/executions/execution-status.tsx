import * as t from '#components/texts/execution-rows/en.ts'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'

const SHAPES: Record<ExecutionStatus, { status: Status; label: string }> = {
  queued: { status: 'pending', label: t.queued },
  running: { status: 'running', label: t.running },
  waiting_approval: { status: 'waiting', label: t.waitingForApproval },
  waiting_input: { status: 'waiting', label: t.waitingForInput },
  succeeded: { status: 'approved', label: t.succeeded },
  failed: { status: 'failed', label: t.failed },
  denied: { status: 'revoked', label: t.denied },
  rejected: { status: 'rejected', label: t.rejected },
  expired: { status: 'expired', label: t.expired },
  timed_out: { status: 'expired', label: t.timedOut },
  canceled: { status: 'revoked', label: t.canceled },
  indeterminate: { status: 'failed', label: t.outcomeUnknown },
}

/** Every state with its word, in the order of an execution. */
export const EXECUTION_STATES = (Object.keys(SHAPES) as ExecutionStatus[]).map((status) => ({
  status,
  label: SHAPES[status].label,
}))

/** The state of an execution as shape and word. */
export function ExecutionStatusShape({ status, boxed = false }: { status: ExecutionStatus; boxed?: boolean }) {
  return <StatusShape {...SHAPES[status]} boxed={boxed} />
}

/** The states that can still change. */
export const LIVE_STATUSES: ExecutionStatus[] = ['queued', 'running', 'waiting_approval', 'waiting_input']
const LIVE: ReadonlySet<ExecutionStatus> = new Set(LIVE_STATUSES)

/** Returns whether the execution can still change. */
export const isLive = (status: ExecutionStatus): boolean => LIVE.has(status)
