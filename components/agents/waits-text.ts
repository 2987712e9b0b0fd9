import { formatCount } from '#lib/format.ts'
import type { AgentActivity } from '#lib/schemas/home/overview.ts'

/** "2 approvals, 1 input"; undefined if nothing waits. */
export function waitsText({
  pendingApprovals,
  waitingInput,
}: Pick<AgentActivity, 'pendingApprovals' | 'waitingInput'>) {
  const parts = [
    ...((pendingApprovals ?? 0) > 0 ? [formatCount(pendingApprovals ?? 0, 'approval')] : []),
    ...(waitingInput > 0 ? [formatCount(waitingInput, 'input')] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}
