import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'

const SHAPES: Record<ExecutionStatus, { status: Status; label: string }> = {
  queued: { status: 'pending', label: 'Queued' },
  running: { status: 'running', label: 'Running' },
  waiting_approval: { status: 'waiting', label: 'Waiting for approval' },
  waiting_input: { status: 'waiting', label: 'Waiting for input' },
  succeeded: { status: 'approved', label: 'Succeeded' },
  failed: { status: 'failed', label: 'Failed' },
  denied: { status: 'revoked', label: 'Denied' },
  rejected: { status: 'rejected', label: 'Rejected' },
  expired: { status: 'expired', label: 'Expired' },
  timed_out: { status: 'expired', label: 'Timed out' },
  canceled: { status: 'revoked', label: 'Canceled' },
  indeterminate: { status: 'failed', label: 'Outcome unknown' },
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
