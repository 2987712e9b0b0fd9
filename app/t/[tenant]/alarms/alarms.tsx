'use client'

import Link from 'next/link'
import { alarmWords } from '#components/alarms/alarm-words.ts'
import { AlarmsFailed, OpenAlarmList } from '#components/alarms/open-alarms.tsx'
import { useOpenAlarms } from '#components/alarms/use-open-alarms.ts'
import { usePages } from '#components/api/use-pages.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { auditPath, auditRecordPath } from '#lib/paths.ts'
import type { Alarm } from '#lib/schemas/alarms.ts'
import { useTRPC } from '#lib/trpc.ts'

/** Everything that did not agree: open alarms in full, and closed ones with their reason. */
export function Alarms() {
  return (
    <Permitted permission="audit:read" act="see alarms" title="Alarms">
      <AlarmLists />
    </Permitted>
  )
}

function AlarmLists() {
  const { tenant } = useSession()
  return (
    <Page wide>
      <PageHeader
        title="Alarms"
        crumbs={[{ label: 'Audit', href: auditPath(tenant) }]}
        facts={
          <p className="max-w-[75ch] text-ink-2">
            An alarm is raised when stored evidence does not match the signed log. It stays open until a person closes
            it with a reason. Deleting rows from the database does not close it.
          </p>
        }
      />
      <Section title="Open">
        <Open />
      </Section>
      <Section title="Closed">
        <Closed />
      </Section>
    </Page>
  )
}

function Open() {
  const { data, error, refetch } = useOpenAlarms()
  if (error !== null) return <AlarmsFailed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Skeleton label="Loading the alarms…" rows={2} rowClass="h-20" />
  if (data.items.length === 0)
    return (
      <EmptyState title="No open alarms.">
        The log is read again at least once a day. A verification or an export that finds a difference also raises an
        alarm.
      </EmptyState>
    )
  return <OpenAlarmList alarms={data.items} />
}

function Closed() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.alarms.list, { status: 'closed' })
  return (
    <PagedTable
      pages={pages}
      caption="Closed alarms"
      columns={columns(tenant)}
      rowKey={(row) => row.id}
      failed={{ what: 'The closed alarms', act: 'see alarms', permission: 'audit:read' }}
      empty={<EmptyState title="No closed alarms.">Closed alarms are listed here, each with its reason.</EmptyState>}
    />
  )
}

const columns = (tenant: string): Column<Alarm>[] => [
  {
    key: 'what',
    header: 'What',
    rowHeader: true,
    cell: (row) => {
      const title = (
        <span className="wrap-anywhere">
          {alarmWords(row).title}
          {row.kind === 'object' && ` ${row.subject}`}
        </span>
      )
      if (!row.inLog) return title
      return (
        <Link href={auditRecordPath(tenant, row.id)} prefetch={false} className="text-link">
          {title}
        </Link>
      )
    },
  },
  { key: 'found', header: 'Found', cell: (row) => <Time at={row.firstSeenAt} show="absolute" /> },
  { key: 'count', header: 'Times', align: 'end', cell: (row) => row.count.toLocaleString('en') },
  {
    key: 'reason',
    header: 'Closed because',
    cell: (row) => (
      <span className="wrap-anywhere">
        <ShownText>{row.closeReason ?? ''}</ShownText>
      </span>
    ),
  },
  { key: 'by', header: 'Closed by', cell: (row) => <ShownText>{row.closedBy?.name ?? ''}</ShownText> },
  {
    key: 'at',
    header: 'Closed',
    cell: (row) => (row.closedAt === null ? undefined : <Time at={row.closedAt} show="absolute" />),
  },
]
