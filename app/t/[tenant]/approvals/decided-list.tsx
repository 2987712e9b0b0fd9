'use client'

import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { useTRPC } from '#lib/trpc.ts'
import { decidedColumns } from './decided-columns.tsx'
import { DownloadCsv } from './download-csv.tsx'
import { EMPTY } from './inbox/empty.ts'
import { OversightOfGroups } from './oversight.tsx'

/** Requests that are no longer pending, newest first: what was decided, by whom, when and why. */
export function DecidedList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.approvals.list, { view: 'decided' })
  return (
    <>
      <OversightOfGroups />
      {pages.items !== undefined && pages.items.length > 0 && <DownloadCsv />}
      <PagedTable
        pages={pages}
        caption="Approvals"
        columns={decidedColumns(tenant)}
        rowKey={(row) => row.approvalId}
        failed={{ what: 'The approvals', act: 'see approvals', permission: 'approval:list' }}
        empty={<EmptyState title={EMPTY.decided.title}>{EMPTY.decided.text}</EmptyState>}
      />
    </>
  )
}
