'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import type { ApprovalsView } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { ApprovalTable } from './table.tsx'

type PendingView = Exclude<ApprovalsView, 'decided'>

const EMPTY: Record<ApprovalsView, { title: string; text: string }> = {
  'needs-me': {
    title: 'Nothing waits for you.',
    text: 'A request comes here when an agent, a release or a policy needs a decision of a group that you are in, and you are not behind the request yourself.',
  },
  mine: {
    title: 'Nothing of yours waits for a decision.',
    text: 'Requests that you caused come here: by starting an execution, by owning its agent, or through a service account that you made.',
  },
  expiring: { title: 'Nothing expires within the hour.', text: 'A request that expires counts as rejected.' },
  all: {
    title: 'Nothing waits for a decision.',
    text: 'Requests come here when a policy, a release or a binding needs a person.',
  },
  decided: { title: 'Nothing was decided yet.', text: 'Each decision stays here, with its reason and its record.' },
}

/** As often as somebody may look up and wonder. */
const refreshMs = 15_000
const getNextPageParam = ({ nextCursor }: { nextCursor: string | null }) => nextCursor

export function PendingList({ view }: { view: PendingView }) {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.approvals.getPending.infiniteQueryOptions({ view }, { getNextPageParam, refetchInterval: refreshMs }),
  )
  return <List view={view} query={query} rows={query.data?.pages.flatMap((page) => page.items)} />
}

export function DecidedList() {
  const trpc = useTRPC()
  const query = useInfiniteQuery(trpc.approvals.list.infiniteQueryOptions({}, { getNextPageParam }))
  const rows = query.data?.pages.flatMap((page) => page.items).filter(({ status }) => status !== 'pending')
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const skip = rows?.length === 0 && hasNextPage && !isFetchingNextPage
  useEffect(() => {
    // The list has pending ones, too: a page of nothing else is no answer.
    if (skip) void fetchNextPage()
  }, [skip, fetchNextPage])
  return <List view="decided" query={query} rows={skip ? undefined : rows} />
}

type ListQuery = {
  error: unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  refetch: () => unknown
  fetchNextPage: () => unknown
}

type ListProps = {
  view: ApprovalsView
  query: ListQuery
  rows: Parameters<typeof ApprovalTable>[0]['rows'] | undefined
}

function List({ view, query, rows }: ListProps) {
  const { error, hasNextPage, isFetchingNextPage, refetch, fetchNextPage } = query
  const failed = error !== null && (
    <RequestFailed
      error={error}
      what="The approvals"
      plural
      act="see approvals"
      permission="approval:list"
      retry={() => void refetch()}
    />
  )
  if (rows === undefined) return failed || <Skeleton label="Loading the approvals" rows={6} rowClass="h-12" />
  return (
    <>
      {failed}
      {rows.length === 0 ? (
        <EmptyState title={EMPTY[view].title}>{EMPTY[view].text}</EmptyState>
      ) : (
        <ApprovalTable view={view} rows={rows} />
      )}
      {hasNextPage && (
        <div>
          <Button onClick={() => void fetchNextPage()} busyLabel={isFetchingNextPage ? 'Loading more…' : undefined}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}
