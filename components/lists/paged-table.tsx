'use client'

import type { ComponentProps, ReactNode } from 'react'
import type { Pages } from '#components/api/use-pages.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/lists/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TableSkeleton } from '#components/ui/feedback/table-skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'

type PagedTableProps<Row> = {
  pages: Pages<Row>
  /** What the table lists: "Executions". */
  caption: string
  columns: Column<Row>[]
  rowKey: (row: Row) => string
  failed: Pick<ComponentProps<typeof RequestFailed>, 'what' | 'act' | 'permission'>
  /** Shown if the list is empty and was loaded without an error. */
  empty: ReactNode
  /** What the next page has; lists usually begin with the newest. */
  more?: 'older' | 'newer'
} & Pick<ComponentProps<typeof DataTable<Row>>, 'dense' | 'isSelected'>

/** A keyset list: rows, then a button for older entries. Loading, empty and failed look different. */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { pages, failed, empty, more = 'older', ...table } = props
  const { items, error, hasMore, loadingMore, loadMore, reload } = pages
  const failure = error !== null && <RequestFailed error={error} plural retry={reload} {...failed} />
  if (items === undefined)
    return failure || <TableSkeleton label={t.loading} columns={props.columns} dense={props.dense ?? false} />
  return (
    <div className="flex flex-col gap-4">
      {/* The loaded rows stay below the error. */}
      {failure}
      {items.length === 0 ? empty : <DataTable {...table} rows={items} />}
      {hasMore && (
        <div>
          <Button
            onClick={loadMore}
            busyLabel={loadingMore ? (more === 'older' ? t.loadingOlder : t.loadingNewer) : undefined}
          >
            {more === 'older' ? t.showOlder : t.showNewer}
          </Button>
        </div>
      )}
    </div>
  )
}
