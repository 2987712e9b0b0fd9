'use client'

import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { OpenAlarms } from '#components/alarms/open-alarms.tsx'
import { usePages } from '#components/api/use-pages.ts'
import { ResourceLink } from '#components/audit/resource-link.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { alarmsPath, auditRecordPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'
import { DayFacts } from './day-facts.tsx'
import { countSet, filterFrom, inputOf } from './filter.ts'
import { Filters } from './filters.tsx'

type Row = Answers['audit']['list']['items'][number]

/** The audit records of the tenant, newest first. */
export function Audit() {
  return (
    <Permitted permission="audit:read" act="see the audit log" title="Audit">
      <AuditList />
    </Permitted>
  )
}

function AuditList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const filter = filterFrom(useSearchParams())
  const pages = usePages(trpc.audit.list, inputOf(filter))
  return (
    <Page wide>
      <PageHeader
        title="Audit"
        facts={
          <>
            <DayFacts />
            <Link href={alarmsPath(tenant)} prefetch={false} className="text-link inline-flex min-h-6 items-center">
              Alarms
            </Link>
          </>
        }
      />
      <OpenAlarms />
      <Filters filter={filter} />
      <PagedTable
        pages={pages}
        caption="Audit records"
        columns={columns(tenant)}
        rowKey={(row) => row.auditId}
        failed={{ what: 'The audit records', act: 'see the audit log', permission: 'audit:read' }}
        empty={
          countSet(filter) > 0 ? (
            <EmptyState title="No records match these filters.">Change or clear the filters above.</EmptyState>
          ) : (
            <EmptyState title="No records yet.">Every change is recorded here, with its actor and reason.</EmptyState>
          )
        }
      />
    </Page>
  )
}

const columns = (tenant: string): Column<Row>[] => [
  {
    key: 'type',
    header: 'What',
    rowHeader: true,
    cell: (row) => (
      <Link
        href={auditRecordPath(tenant, row.auditId)}
        prefetch={false}
        className="text-link wrap-anywhere inline-block min-w-44 font-mono"
      >
        {row.type}
      </Link>
    ),
  },
  { key: 'actor', header: 'Who', cell: (row) => <ShownText>{row.actor.name}</ShownText> },
  { key: 'resource', header: 'About', cell: (row) => <ResourceLink {...row.resource} /> },
  {
    key: 'reason',
    header: 'Reason',
    cell: (row) =>
      row.reason === null ? undefined : (
        <span className="wrap-anywhere">
          <ShownText>{row.reason}</ShownText>
        </span>
      ),
  },
  { key: 'at', header: 'When', cell: (row) => <Time at={row.at} show="absolute" /> },
  { key: 'seq', header: 'No. in the day', align: 'end', cell: (row) => row.seq.toLocaleString('en') },
]
