'use client'

import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useNeedsMe } from '#components/approvals/waiting.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { type ApprovalsView, approvalPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { type Queue, queueAround } from './queue.ts'

/** The number of requests that the rail's badge counts. */
const limit = 100

export type Neighbours = Queue<string> & { view: ApprovalsView }

/** The request's neighbours, as addresses, in the list that the person came from. The list is kept as it was on opening. */
export function useNeighbours(approvalId: string, view: ApprovalsView): Neighbours {
  const { tenant } = useSession()
  const live = useListIds(view)
  const [atOpening, freeze] = useState(live)
  if (atOpening === undefined && live !== undefined) freeze(live)
  const { next, previous, afterDecision, ...rest } = queueAround(approvalId, atOpening ?? [], live ?? [])
  const path = (id: string | undefined) => (id === undefined ? undefined : approvalPath(tenant, id, { view }))
  return {
    ...rest,
    view,
    next: path(next),
    previous: path(previous),
    afterDecision: afterDecision && { ...afterDecision, item: approvalPath(tenant, afterDecision.item, { view }) },
  }
}

function useListIds(view: ApprovalsView): string[] | undefined {
  const trpc = useTRPC()
  const needsMe = useNeedsMe()
  const pendingView = view === 'decided' || view === 'needs-me' ? undefined : view
  const pending = useQuery(
    trpc.approvals.getPending.queryOptions({ view: pendingView, limit }, { enabled: pendingView !== undefined }),
  )
  const decided = useQuery(
    trpc.approvals.list.queryOptions({ limit, view: 'decided' }, { enabled: view === 'decided' }),
  )
  const { data } = view === 'needs-me' ? needsMe : view === 'decided' ? decided : pending
  return data?.items.map((item) => item.approvalId)
}
