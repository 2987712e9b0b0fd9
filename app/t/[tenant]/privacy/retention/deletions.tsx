'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/privacy/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { auditRecordPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

type Row = Answers['audit']['list']['items'][number]

/** What retention has deleted, from the audit log. */
export function Deletions() {
  const { can } = useSession()
  return can('audit:read') ? <DeletionList /> : <MissingPermission act={t.seeWhatWasDeleted} permission="audit:read" />
}

function DeletionList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.audit.list, { action: 'content.expired' })
  return (
    <PagedTable
      pages={pages}
      caption={t.deletionsByRetention}
      columns={columns(tenant)}
      rowKey={(row) => row.auditId}
      failed={{ what: t.theDeletions, act: t.seeWhatWasDeleted, permission: 'audit:read' }}
      empty={<EmptyState title={t.nothingWasDeletedYet}>{t.deletionsAppearHereWhen}</EmptyState>}
    />
  )
}

const columns = (tenant: string): Column<Row>[] => [
  {
    key: 'what',
    header: t.content,
    rowHeader: true,
    cell: (row) => (
      <Link href={auditRecordPath(tenant, row.auditId)} prefetch={false} className="text-link">
        <ShownText>{t.contentOf({ table: row.resource.id })}</ShownText>
      </Link>
    ),
  },
  { key: 'at', header: t.deleted, cell: (row) => <Time at={row.at} show="absolute" /> },
]
