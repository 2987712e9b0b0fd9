'use client'

import { NoApprovals } from '#components/alarms/no-approvals.tsx'
import { useApi } from '#components/api/api.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { csvPage, DownloadCsv } from '#components/lists/download-csv.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { useTRPC } from '#lib/trpc.ts'
import { decidedColumns } from './decided-columns.tsx'
import { decidedCsv } from './decided-csv.ts'
import { EMPTY } from './inbox/empty.ts'
import { OversightOfGroups } from './oversight.tsx'

/** While the socket is down, in milliseconds. */
const refreshMs = 30_000

/** Requests that are no longer pending, newest first: what was decided, by whom, when and why. */
export function DecidedList() {
  const trpc = useTRPC()
  const { client } = useApi()
  const { tenant } = useSession()
  const pages = usePages(trpc.approvals.list, { view: 'decided' })
  useChanges(['approvals'], refreshMs)
  return (
    <>
      <OversightOfGroups />
      {pages.items !== undefined && pages.items.length > 0 && (
        <DownloadCsv
          list="approvals"
          fileName="approvals-decided.csv"
          load={(cursor) =>
            client.approvals.list.query({
              view: 'decided',
              limit: csvPage,
              ...(cursor === undefined ? {} : { cursor }),
            })
          }
          toText={decidedCsv}
        />
      )}
      <PagedTable
        pages={pages}
        caption={t.approvals}
        columns={decidedColumns(tenant)}
        rowKey={(row) => row.approvalId}
        failed={{ what: t.theApprovals, act: t.seeApprovals, permission: 'approval:list' }}
        empty={<NoApprovals title={EMPTY.decided.title}>{EMPTY.decided.text}</NoApprovals>}
      />
    </>
  )
}
