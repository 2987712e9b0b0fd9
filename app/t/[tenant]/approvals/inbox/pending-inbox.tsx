'use client'

import { type ReactNode, useCallback, useContext, useDeferredValue, useMemo, useState } from 'react'
import { NoApprovals } from '#components/alarms/no-approvals.tsx'
import { useAddressSearch } from '#components/lists/address.ts'
import { SavedViews } from '#components/lists/saved-views.tsx'
import { useSelection } from '#components/lists/use-selection.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { useNow } from '#components/ui/text/now.ts'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { type ApprovalsView, approvalPath, approvalsPath } from '#lib/paths.ts'
import { type BulkDecision, whyNotTogether } from './bulk.ts'
import { DecideTogether } from './decide-together.tsx'
import { EMPTY } from './empty.ts'
import { applyFilter, countFilters, filterFrom, idOf, type Request, searchOf } from './filter.ts'
import { InboxFilters, useFilterChange } from './filters.tsx'
import { groupByExpiry } from './groups.ts'
import { searchOfLayout, useLayout } from './layout.ts'
import { LayoutChooser } from './layout-chooser.tsx'
import { RequestTable } from './request-table.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { mostLoaded, useAllPending } from './use-all-pending.ts'
import { useInboxKeys } from './use-inbox-keys.ts'
import { useUsual } from './use-usual.ts'

const none: Request[] = []

type Deciding = { decision: BulkDecision; requests: Request[] }

/** The pending requests of a view: search, filters, order, selection, and one decision about several of them. */
export function PendingInbox({ view }: { view: Exclude<ApprovalsView, 'decided'> }) {
  const { tenant } = useSession()
  const zone = useContext(TimeZoneContext)
  const minute = Math.floor((useNow() ?? Date.now()) / 60_000)
  const address = useAddressSearch()
  const filter = useMemo(() => filterFrom(address), [address])
  // Each row is drawn again with another filter, because its link leads back to it. What is typed must not wait for that.
  const drawn = useDeferredValue(filter)
  const [layout, remember] = useLayout(filter)
  const change = useFilterChange()
  const pending = useAllPending(view)
  const { items = none } = pending
  const usual = useUsual(items)
  const shown = useMemo(() => applyFilter(items, drawn, minute * 60_000), [items, drawn, minute])
  const groups = useMemo(
    () =>
      drawn.sort === 'expires' ? groupByExpiry(shown, minute * 60_000, zone) : [{ title: t.all, requests: shown }],
    [shown, drawn, minute, zone],
  )
  const inOrder = useMemo(() => groups.flatMap(({ requests }) => requests), [groups])
  const selection = useSelection(inOrder, idOf)
  // The requests as they were selected: those that are decided leave the list behind the dialog.
  const [deciding, setDeciding] = useState<Deciding>()
  const decide = (decision: BulkDecision) => {
    const { rows: requests } = selection
    if (whyNotTogether(decision, requests) === undefined) setDeciding({ decision, requests })
  }
  useInboxKeys({ shown: inOrder, selection, decide })
  const search = new URLSearchParams(searchOf(drawn)).toString()
  const hrefOf = useCallback(
    ({ approvalId }: Request) =>
      approvalPath(tenant, approvalId, { ...Object.fromEntries(new URLSearchParams(search)), view }),
    [tenant, view, search],
  )
  return (
    <>
      <Loaded view={view} pending={pending}>
        <SavedViews
          list="approvals"
          search={searchOf(filter)}
          known={(saved) => searchOf(filterFrom(new URLSearchParams(saved)))}
          isSet={countFilters(filter) > 0 || filter.hide !== '' || filter.density !== ''}
          hrefOf={(saved) => approvalsPath(tenant, { view, ...saved })}
        />
        <InboxFilters filter={filter} requests={items} />
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <p role="status" className="text-dense text-ink-2">
            {countText(shown.length, items.length)}
            {pending.loading ? t.loadingMore : pending.hasMore && t.onlyNewestRequestsAre({ mostLoaded })}
          </p>
          <LayoutChooser
            layout={layout}
            onChange={(chosen) => {
              remember(chosen)
              change(searchOfLayout(chosen))
            }}
          />
        </div>
        {shown.length === 0 ? (
          <EmptyState title={t.noRequestsMatchThese}>{t.changeFilterOrShow}</EmptyState>
        ) : (
          <RequestTable groups={groups} selection={selection} hrefOf={hrefOf} usual={usual} layout={layout} />
        )}
        <SelectionBar selection={selection} onDecide={decide} />
      </Loaded>
      {deciding !== undefined && <DecideTogether {...deciding} onClose={() => setDeciding(undefined)} />}
    </>
  )
}

type LoadedProps = {
  view: Exclude<ApprovalsView, 'decided'>
  pending: ReturnType<typeof useAllPending>
  children: ReactNode
}

/** The list, or why it is not shown. */
function Loaded({ view, pending: { items, error, reload }, children }: LoadedProps) {
  const failed = error !== null && (
    <RequestFailed
      error={error}
      what={t.theApprovals}
      plural
      act={t.seeApprovals}
      permission="approval:list"
      retry={reload}
    />
  )
  if (items === undefined) return failed || <Skeleton label={t.loadingApprovals} rows={6} rowClass="h-12" />
  return (
    <>
      {failed}
      {items.length === 0 ? <NoApprovals title={EMPTY[view].title}>{EMPTY[view].text}</NoApprovals> : children}
    </>
  )
}

const countText = (shown: number, all: number): string =>
  shown === all ? t.allRequests({ count: all }) : t.ofRequests({ shown, all })
