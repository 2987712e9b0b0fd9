'use client'

import Link from 'next/link'
import { useCallback, useMemo, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { titleOf } from '#components/executions/effect-title.tsx'
import { executionColumns } from '#components/executions/execution-columns.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { useAddressSearch } from '#components/lists/address.ts'
import { byAmount } from '#components/lists/by-amount.ts'
import { csvPage, DownloadCsv } from '#components/lists/download-csv.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { SavedViews } from '#components/lists/saved-views.tsx'
import { useRowKeys } from '#components/lists/use-row-keys.ts'
import { type Selection, useSelection } from '#components/lists/use-selection.ts'
import { useWhole } from '#components/lists/use-whole.ts'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/executions/en.ts'
import { RowCheckbox } from '#components/ui/controls/row-checkbox.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { executionsPath, newExecutionPath } from '#lib/paths.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'
import { CancelTogether } from './cancel-together.tsx'
import { isCancelable, whyNotTogether } from './cancelable.ts'
import { executionsCsv } from './executions-csv.ts'
import { countFilters, filterFrom, inputOf, searchOf } from './filter.ts'
import { Filters } from './filters.tsx'
import { SelectionBar } from './selection-bar.tsx'

const refreshMs = 5000
/** Amounts are compared by the page, which loads this many executions at most. */
const mostOrdered = 500
const none: ExecutionSummary[] = []
const compareAmounts = (one: ExecutionSummary, other: ExecutionSummary): number =>
  byAmount(one.effect?.amount, other.effect?.amount)
const idOf = ({ id }: ExecutionSummary): string => id

/** Executions by what they do. Search, filters and order are in the address. */
export function Executions() {
  return (
    <Permitted permission="execution:read" act={t.seeExecutions} title={t.executions}>
      <ExecutionList />
    </Permitted>
  )
}

function ExecutionList() {
  const trpc = useTRPC()
  const { client } = useApi()
  const { tenant, can } = useSession()
  const filter = filterFrom(useAddressSearch())
  const input = inputOf(filter)
  useChanges(['executions'], refreshMs)
  const ordered = filter.sort === 'amount'
  const pages = useWhole(
    usePages(trpc.executions.list, ordered ? { ...input, limit: csvPage } : input),
    ordered ? mostOrdered : 0,
  )
  const { items: loaded = none, loading } = pages
  const items = useMemo(() => (ordered ? loaded.toSorted(compareAmounts) : loaded), [ordered, loaded])
  const selection = useCancelable(items)
  const [canceling, setCanceling] = useState<ExecutionSummary[]>()
  const cancel = () => {
    if (can('execution:cancel') && whyNotTogether(selection.rows.length) === undefined) setCanceling(selection.rows)
  }
  useRowKeys({
    list: 'executions',
    shown: items,
    idOf,
    selection,
    actions: [
      {
        title: t.cancelSelectedExecutions,
        key: 'c',
        blocked: selection.rows.length === 0 ? t.noExecutionIsSelected : undefined,
        run: cancel,
      },
    ],
  })
  const { set } = selection
  const columns = useMemo(
    (): Column<ExecutionSummary>[] => [selectColumn(set), ...executionColumns(tenant)],
    [set, tenant],
  )
  return (
    <Page wide>
      <PageHeader
        title={t.executions}
        action={
          <div className="flex flex-wrap items-start gap-2">
            {items.length > 0 && (
              <DownloadCsv
                list="executions"
                fileName="executions.csv"
                load={(cursor) =>
                  client.executions.list.query({
                    ...input,
                    limit: csvPage,
                    ...(cursor === undefined ? {} : { cursor }),
                  })
                }
                toText={(rows) => executionsCsv(ordered ? rows.toSorted(compareAmounts) : rows)}
              />
            )}
            <ActionLink href={newExecutionPath(tenant)} permission="execution:start" hotkey="n">
              {t.startExecution}
            </ActionLink>
          </div>
        }
      />
      <SavedViews
        list="executions"
        search={searchOf(filter)}
        known={(saved) => searchOf(filterFrom(new URLSearchParams(saved)))}
        isSet={Object.keys(searchOf(filter)).length > 0}
        hrefOf={(saved) => executionsPath(tenant, saved)}
      />
      <Filters filter={filter} rows={items} />
      {ordered && (
        <p role="status" className="text-dense text-ink-2">
          {loading ? t.loadingMoreExecutions : pages.hasMore && t.ofNewestExecutionsThat({ items: items.length })}
        </p>
      )}
      <PagedTable
        pages={{ ...pages, items: pages.items && items, hasMore: pages.hasMore && !ordered }}
        caption={t.executions}
        columns={columns}
        dense
        rowKey={idOf}
        isSelected={selection.has}
        failed={{ what: t.theExecutions, act: t.seeExecutions, permission: 'execution:read' }}
        empty={<Empty filtered={countFilters(filter) > 0} />}
        more={filter.sort === 'oldest' ? 'newer' : 'older'}
      />
      <SelectionBar selection={selection} onCancel={cancel} />
      {canceling !== undefined && <CancelTogether executions={canceling} onClose={() => setCanceling(undefined)} />}
    </Page>
  )
}

/** The selection of a list in which only executions that can still be canceled can be selected. */
function useCancelable(shown: readonly ExecutionSummary[]): Selection<ExecutionSummary> {
  const live = useMemo(() => shown.filter(isCancelable), [shown])
  const selection = useSelection(live, idOf)
  const { set } = selection
  return {
    ...selection,
    has: (row) => isCancelable(row) && selection.has(row),
    set: useCallback((rows, selected) => set(rows.filter(isCancelable), selected), [set]),
  }
}

const selectColumn = (set: Selection<ExecutionSummary>['set']): Column<ExecutionSummary> => ({
  key: 'select',
  header: <VisuallyHidden>{t.selected}</VisuallyHidden>,
  corner: true,
  cell: (row, selected) =>
    isCancelable(row) && (
      <RowCheckbox
        label={t.select({ execution: titleOf(row) })}
        checked={selected}
        onChange={(checked) => set([row], checked)}
      />
    ),
})

function Empty({ filtered }: { filtered: boolean }) {
  const { tenant } = useSession()
  if (!filtered) return <EmptyState title={t.noExecutionsYet}>{t.agentCanRunOnce}</EmptyState>
  return (
    <EmptyState
      title={t.noExecutionsMatchThese}
      action={
        <Link href={executionsPath(tenant)} className="text-link inline-flex min-h-6 items-center">
          {t.showAllExecutions}
        </Link>
      }
    >
      {t.changeFiltersAboveTo}
    </EmptyState>
  )
}
