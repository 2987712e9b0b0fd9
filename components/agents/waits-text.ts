import * as t from '#components/texts/agents/en.ts'
import type { AgentActivity } from '#lib/schemas/home/overview.ts'

/** "2 approvals, 1 input"; undefined if nothing waits. */
export function waitsText({
  pendingApprovals,
  waitingInput,
}: Pick<AgentActivity, 'pendingApprovals' | 'waitingInput'>) {
  const parts = [
    ...((pendingApprovals ?? 0) > 0 ? [t.approvals({ approvals: pendingApprovals ?? 0 })] : []),
    ...(waitingInput > 0 ? [t.inputs({ inputs: waitingInput })] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}
