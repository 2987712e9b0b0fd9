'use client'

import Link from 'next/link'
import { OpenAlarms } from '#components/alarms/open-alarms.tsx'
import { useApi } from '#components/api/api.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ExportStatusShape } from '#components/evidence/export-status.tsx'
import { formatPeriod } from '#components/evidence/period.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { formatBytes } from '#lib/format.ts'
import { evidenceExportPath, newEvidencePath } from '#lib/paths.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'

const refreshMs = 5000

/** Every evidence export, newest first. */
export function Evidence() {
  return (
    <Permitted permission="evidence:list" act="see evidence exports" title="Evidence">
      <ExportList />
    </Permitted>
  )
}

function ExportList() {
  const { rest } = useApi()
  const { tenant, can } = useSession()
  useChanges(['evidence'], refreshMs)
  const pages = usePages(rest.evidence.list, {})
  return (
    <Page wide>
      <PageHeader
        title="Evidence"
        action={
          <ActionLink href={newEvidencePath(tenant)} permission="evidence:export">
            New export
          </ActionLink>
        }
      />
      {can('audit:read') && <OpenAlarms />}
      <PagedTable
        pages={pages}
        caption="Evidence exports"
        columns={columns(tenant)}
        rowKey={(row) => row.exportId}
        failed={{ what: 'The exports', act: 'see evidence exports', permission: 'evidence:list' }}
        empty={
          <EmptyState title="No evidence has been exported yet.">
            An export is a signed archive of a period: executions, approvals, decisions, traces and the audit log, with
            their proofs.
          </EmptyState>
        }
      />
    </Page>
  )
}

const columns = (tenant: string): Column<ExportJob>[] => [
  {
    key: 'period',
    header: 'Period',
    rowHeader: true,
    cell: (row) => (
      <Link href={evidenceExportPath(tenant, row.exportId)} className="text-link" prefetch={false}>
        {formatPeriod(row)}
      </Link>
    ),
  },
  { key: 'state', header: 'State', cell: (row) => <ExportStatusShape status={row.status} /> },
  { key: 'proofs', header: 'Proofs', cell: (row) => (row.includeProofs ? 'Included' : 'Not included') },
  { key: 'values', header: 'Sensitive values', cell: (row) => (row.includeRawPayloads ? 'Unmasked' : 'Masked') },
  {
    key: 'size',
    header: 'Size',
    align: 'end',
    cell: (row) => (row.archiveBytes === null ? undefined : formatBytes(row.archiveBytes)),
  },
  { key: 'by', header: 'Requested by', cell: (row) => <ShownText>{row.requestedBy.displayName}</ShownText> },
  { key: 'age', header: 'Requested', cell: (row) => <Time at={row.createdAt} show="relative" /> },
]
