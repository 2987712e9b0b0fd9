'use client'

import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'
import { useTRPC } from '#lib/trpc.ts'

// Loaded when a call is shown for which one can be proposed.
const Proposal = loadedLater(() => import('./proposal.tsx').then((module) => module.Proposal))

/** Below an approved call: proposes that calls like it need no person for a time. */
export function ProposeGrant({ shown }: { shown: Approval }) {
  const { can } = useSession()
  const isCall = shown.kind === 'tool_call' || shown.kind === 'external_call'
  return isCall && can('approval:decide') ? <Preview shown={shown} /> : null
}

function Preview({ shown: { approvalId, group } }: { shown: Approval }) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.approvals.previewGrant.queryOptions({ approvalId }))
  // Until it is known whether one can be proposed, nothing is missing from the page.
  if (data === undefined) return null
  return <Proposal key={data.blocked} approvalId={approvalId} group={group} preview={data} />
}
