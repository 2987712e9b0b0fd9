'use client'

import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { isPathParameter } from '#lib/paths.ts'
import type { Decision } from '#lib/schemas/approvals.ts'
import { useTRPC } from '#lib/trpc.ts'

const PAST: Record<Decision, string> = { approve: 'Approved', reject: 'Rejected', escalate: 'Escalated' }

/** Who decided a request, and why, for readers who may see approvals. */
export function Deciders({ approvalId }: { approvalId: string }) {
  const trpc = useTRPC()
  const { can } = useSession()
  const enabled = can('approval:list') && isPathParameter(approvalId)
  const { data } = useQuery(trpc.approvals.get.queryOptions({ approvalId }, { enabled }))
  if (data === undefined || data.votes.length === 0) return null
  return (
    <ul aria-label="Votes" className="flex flex-col gap-1">
      {data.votes.map(({ auditId, by, onBehalfOf, decision, reason }) => (
        <li key={auditId}>
          {PAST[decision]} by{' '}
          <strong className="font-semibold">
            <ShownText>{by.displayName}</ShownText>
          </strong>
          {onBehalfOf !== undefined && (
            <>
              {' '}
              as the delegate of <ShownText>{onBehalfOf.displayName}</ShownText>
            </>
          )}
          :{' '}
          <q className="wrap-anywhere">
            <ShownText>{reason}</ShownText>
          </q>
        </li>
      ))}
    </ul>
  )
}
