'use client'

import { useQuery } from '#components/api/query.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution/en.ts'
import { isPathParameter } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'

/** Who decided a request, and why, for readers who may see approvals. */
export function Deciders({ approvalId }: { approvalId: string }) {
  const trpc = useTRPC()
  const { can } = useSession()
  const enabled = can('approval:list') && isPathParameter(approvalId)
  const { data } = useQuery(trpc.approvals.get.queryOptions({ approvalId }, { enabled }))
  if (data === undefined || data.votes.length === 0) return null
  return (
    <ul aria-label={t.votes} className="flex flex-col gap-1">
      {data.votes.map(({ auditId, by, onBehalfOf, decision, reason }) => (
        <li key={auditId}>
          {t.decidedBy({
            decision,
            by: by.displayName,
            strong: (content) => <strong className="font-semibold">{content}</strong>,
            delegate: String(onBehalfOf !== undefined),
            delegator: onBehalfOf?.displayName ?? '',
            reason,
            q: (content) => <q className="wrap-anywhere">{shownText(content)}</q>,
            shown: shownText,
          })}
        </li>
      ))}
    </ul>
  )
}
