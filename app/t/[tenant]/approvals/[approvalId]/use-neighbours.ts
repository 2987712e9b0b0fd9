'use client'

import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { type ApprovalsView, approvalPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { applyFilter, filterFrom, type InboxFilter, searchOf } from '../inbox/filter.ts'
import { useAllPending } from '../inbox/use-all-pending.ts'
import { type Queue, queueAround } from './queue.ts'

/** The decided requests that "next" moves through. */
const limit = 100

export type Neighbours = Queue<string> & { view: ApprovalsView }

/**
 * The request's neighbours, as addresses, in the list that the person came from, with its filters and order. The list is kept as
 * it was on opening.
 */
export function useNeighbours(approvalId: string, view: ApprovalsView): Neighbours {
  const { tenant } = useSession()
  const filter = filterFrom(useSearchParams())
  const live = useListIds(view, filter)
  const [atOpening, freeze] = useState(live)
  if (atOpening === undefined && live !== undefined) freeze(live)
  const { next, previous, afterDecision, ...rest } = queueAround(approvalId, atOpening ?? [], live ?? [])
  const path = (id: string | undefined) =>
    id === undefined ? undefined : approvalPath(tenant, id, { view, ...searchOf(filter) })
  return {
    ...rest,
    view,
    next: path(next),
    previous: path(previous),
    afterDecision: afterDecision && { ...afterDecision, item: path(afterDecision.item) ?? '' },
  }
}

function useListIds(view: ApprovalsView, filter: InboxFilter): string[] | undefined {
  const trpc = useTRPC()
  const isDecided = view === 'decided'
  const pending = useAllPending(isDecided ? 'all' : view, { enabled: !isDecided })
  const decided = useQuery(trpc.approvals.list.queryOptions({ limit, view: 'decided' }, { enabled: isDecided }))
  // Until all pages are there, "3 of 100" would become "3 of 214".
  const items = isDecided ? decided.data?.items : pending.loading ? undefined : pending.items
  return items && (isDecided ? items : applyFilter(items, filter, Date.now())).map((item) => item.approvalId)
}
