'use client'

import { useSearchParams } from 'next/navigation'
import { useContext, useState } from 'react'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { useNow } from '#components/ui/text/now.ts'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { type ApprovalsView, approvalPath } from '#lib/paths.ts'
import type { BulkDecision } from './bulk.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { EMPTY } from './empty.ts'
import { applyFilter, filterFrom, searchOf } from './filter.ts'
import { InboxFilters } from './filters.tsx'
import { groupByExpiry } from './groups.ts'
import { RequestTable } from './request-table.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { mostLoaded, useAllPending } from './use-all-pending.ts'
import { useInboxKeys } from './use-inbox-keys.ts'
import { useSelection } from './use-selection.ts'

/** The pending requests of a view: search, filters, order, selection, and one decision about several of them. */
export function PendingInbox({ view }: { view: Exclude<ApprovalsView, 'decided'> }) {
  const { tenant } = useSession()
  const zone = useContext(TimeZoneContext)
  const now = useNow() ?? Date.now()
  const filter = filterFrom(useSearchParams())
  const { items, error, reload, loading, hasMore } = useAllPending(view)
  const shown = applyFilter(items ?? [], filter)
  const groups = groupByExpiry(shown, now, zone)
  const inOrder = filter.sort === 'expires' ? groups.flatMap(({ requests }) => requests) : shown
  const selection = useSelection(inOrder)
  const [deciding, setDeciding] = useState<BulkDecision>()
  useInboxKeys({ shown: inOrder, selection, decide: setDeciding })

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
  if (items.length === 0)
    return (
      <>
        {failed}
        <EmptyState title={EMPTY[view].title}>{EMPTY[view].text}</EmptyState>
      </>
    )
  return (
    <>
      {failed}
      <InboxFilters filter={filter} requests={items} />
      <p role="status" className="text-dense text-ink-2">
        {countText(shown.length, items.length)}
        {loading ? ' Loading more…' : hasMore && ` Only the newest ${mostLoaded} requests are loaded.`}
      </p>
      {shown.length === 0 ? (
        <EmptyState title="No requests match these filters.">Change a filter, or show all requests.</EmptyState>
      ) : (
        <RequestTable
          groups={filter.sort === 'expires' ? groups : [{ title: 'In this order', requests: shown }]}
          selection={selection}
          hrefOf={(request) => approvalPath(tenant, request.approvalId, { view, ...searchOf(filter) })}
        />
      )}
      <SelectionBar selection={selection} onDecide={setDeciding} />
      {deciding !== undefined && (
        <BulkDialog decision={deciding} requests={selection.requests} onClose={() => setDeciding(undefined)} />
      )}
    </>
  )
}

const countText = (shown: number, all: number): string =>
  shown === all ? `${all} ${all === 1 ? 'request' : 'requests'}.` : `${shown} of ${all} requests.`
