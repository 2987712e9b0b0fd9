'use client'

import Link from 'next/link'
import { OpenAlarms } from '#components/alarms/open-alarms.tsx'
import { useApi } from '#components/api/api.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ExportStatusShape } from '#components/evidence/export-status.tsx'
import { formatPeriod } from '#components/evidence/period.ts'
import { formatBytes } from '#components/language/formats.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { evidenceExportPath, newEvidencePath } from '#lib/paths.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'

const refreshMs = 5000

/** Every evidence export, newest first. */
export function Evidence() {
  return (
    <Permitted permission="evidence:list" act={t.seeEvidenceExports} title={t.evidence}>
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
        title={t.evidence}
        action={
          <ActionLink href={newEvidencePath(tenant)} permission="evidence:export">
            {t.newExport}
          </ActionLink>
        }
      />
      {can('audit:read') && <OpenAlarms />}
      <PagedTable
        pages={pages}
        caption={t.evidenceExports}
        columns={columns(tenant)}
        rowKey={(row) => row.exportId}
        failed={{ what: t.theExports, act: t.seeEvidenceExports, permission: 'evidence:list' }}
        empty={<EmptyState title={t.noEvidenceHasBeen}>{t.exportIsSignedArchive}</EmptyState>}
      />
    </Page>
  )
}

const columns = (tenant: string): Column<ExportJob>[] => [
  {
    key: 'period',
    header: t.period,
    rowHeader: true,
    cell: (row) => (
      <Link href={evidenceExportPath(tenant, row.exportId)} className="text-link" prefetch={false}>
        {formatPeriod(row)}
      </Link>
    ),
  },
  { key: 'state', header: t.state, cell: (row) => <ExportStatusShape status={row.status} /> },
  { key: 'proofs', header: t.proofs, cell: (row) => (row.includeProofs ? t.included : t.notIncluded) },
  { key: 'values', header: t.sensitiveValues, cell: (row) => (row.includeRawPayloads ? t.unmasked : t.masked) },
  {
    key: 'size',
    header: t.size,
    align: 'end',
    cell: (row) => (row.archiveBytes === null ? undefined : formatBytes(row.archiveBytes)),
  },
  { key: 'by', header: t.requestedBy, cell: (row) => <ShownText>{row.requestedBy.displayName}</ShownText> },
  { key: 'age', header: t.requested, cell: (row) => <Time at={row.createdAt} show="relative" /> },
]
