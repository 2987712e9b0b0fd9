'use client'

import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { isLive } from '#components/executions/execution-status.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'
import { useTRPC } from '#lib/trpc.ts'
import { type CallOutcome, outcomeOfCall } from './outcome.ts'

/** While the socket is down, in milliseconds. */
const pollMs = 10_000

/** The execution of an approved call, and what became of the call, live. Undefined for other requests, and until it is known. */
export function useOutcome({ approvalId, status, kind, usedAt, presentation: { executionId } }: Approval) {
  const { can } = useSession()
  const trpc = useTRPC()
  const { client } = useApi()
  const allowed = can('execution:read')
  const ran = status === 'approved' && executionId !== null
  const { data, error, refetch } = useQuery(
    trpc.executions.get.queryOptions({ id: executionId ?? '' }, { enabled: ran && allowed }),
  )
  const live = data === undefined || isLive(data.status)
  useChanges(ran && live ? ['executions'] : [], pollMs)
  const step = data?.steps.findLast((one) => one.approvalId === approvalId)
  const over = data !== undefined && !live
  // Under a key of its own: it is read when the end is known, and what was read before that does not count.
  const read = trpc.approvals.get.queryOptions({ approvalId })
  const atEnd = useQuery({
    queryKey: ['approval at the end of its execution', ...read.queryKey],
    queryFn: () => client.approvals.get.query({ approvalId }),
    enabled: ran && over && usedAt === null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const used = usedAt ?? (over ? atEnd.data?.usedAt : null)
  const ofExecution = data === undefined ? undefined : outcomeOfCall(step, used, over)
  const elsewhere = kind === 'external_call' && usedAt !== null ? 'taken' : undefined
  const outcome: CallOutcome | undefined = ran ? ofExecution : elsewhere
  const again = () => void (data === undefined ? refetch() : atEnd.refetch())
  return { outcome, step, execution: data, allowed, error: error ?? atEnd.error, refetch: again }
}
