'use client'

import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'
import { type Answers, useTRPC } from '#lib/trpc.ts'

type Preview = Answers['approvals']['previewGrant']

// Loaded when a call is shown for which one can be proposed.
const Proposal = loadedLater(() => import('./proposal.tsx').then((module) => module.Proposal))

/** Below an approved call: proposes that calls like it need no person for a time. */
export function ProposeGrant({ shown }: { shown: Approval }) {
  const { can } = useSession()
  const isCall = shown.kind === 'tool_call' || shown.kind === 'external_call'
  return isCall && can('approval:decide') ? <AsPreviewed shown={shown} /> : null
}

function AsPreviewed({ shown: { approvalId, group } }: { shown: Approval }) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.approvals.previewGrant.queryOptions({ approvalId }))
  // As it was first possible: a draft keeps the terms that it was made from.
  const [first, setFirst] = useState<Preview>()
  if (first === undefined && data?.blocked === null) setFirst(data)
  // Until it is known whether one can be proposed, nothing is missing from the page.
  if (data === undefined) return null
  return (
    <Proposal
      key={first === undefined ? 'impossible' : 'possible'}
      approvalId={approvalId}
      group={group}
      preview={first ?? data}
      blocked={data.blocked ?? undefined}
    />
  )
}
