'use client'

import { useChanges } from '#components/api/use-changes.ts'
import { type Pages, usePages } from '#components/api/use-pages.ts'
import type { ApprovalSummaries } from '#components/approvals/waiting.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { ApprovalsView } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { ApprovalTable } from './table.tsx'

type PendingView = Exclude<ApprovalsView, 'decided'>

const EMPTY: Record<ApprovalsView, { title: string; text: string }> = {
  'needs-me': {
    title: 'No approvals need you.',
    text: 'A request appears here when an agent, a release or a policy needs a decision from a group that you belong to, and you did not cause the request yourself.',
  },
  mine: {
    title: 'None of your requests are waiting for a decision.',
    text: 'Requests that you caused appear here: by starting an execution, as an owner of its agent, or through a service account that you created.',
  },
  expiring: { title: 'No approvals expire within the hour.', text: 'A request that expires counts as rejected.' },
  all: {
    title: 'No approvals are waiting.',
    text: 'Requests appear here when a policy, a release or a binding needs a person’s decision.',
  },
  decided: {
    title: 'No approvals have been decided yet.',
    text: 'Each decision is listed here, with its reason and its audit record.',
  },
}

/** How often the list is read while the socket is down, in milliseconds. */
const refreshMs = 15_000

export function PendingList({ view }: { view: PendingView }) {
  const trpc = useTRPC()
  useChanges(['approvals'], refreshMs)
  const pages = usePages(trpc.approvals.getPending, { view })
  return <List view={view} pages={pages} />
}

export function DecidedList() {
  const trpc = useTRPC()
  const pages = usePages(trpc.approvals.list, { view: 'decided' })
  return <List view="decided" pages={pages} />
}

function List({ view, pages }: { view: ApprovalsView; pages: Pages<ApprovalSummaries[number]> }) {
  const { items, error, hasMore, loadingMore, loadMore, reload } = pages
  const failed = error !== null && (
    <RequestFailed
      error={error}
      what="The approvals"
      plural
      act="see approvals"
      permission="approval:list"
      retry={reload}
    />
  )
  if (items === undefined) return failed || <Skeleton label="Loading approvals…" rows={6} rowClass="h-12" />
  return (
    <>
      {failed}
      {items.length === 0 ? (
        <EmptyState title={EMPTY[view].title}>{EMPTY[view].text}</EmptyState>
      ) : (
        <ApprovalTable view={view} rows={items} />
      )}
      {hasMore && (
        <div>
          <Button onClick={loadMore} busyLabel={loadingMore ? 'Loading more…' : undefined}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}
