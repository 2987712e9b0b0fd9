'use client'

import Link from 'next/link'
import { alarmWords } from '#components/alarms/alarm-words.ts'
import { AlarmsFailed } from '#components/alarms/alarms-failed.tsx'
import { OpenAlarmList } from '#components/alarms/open-alarm-list.tsx'
import { useOpenAlarms } from '#components/alarms/use-open-alarms.ts'
import { usePages } from '#components/api/use-pages.ts'
import { formatNumber } from '#components/language/formats.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/alarms/en.ts'
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
    <Permitted permission="audit:read" act={t.seeAlarms} title={t.alarms}>
      <AlarmLists />
    </Permitted>
  )
}

function AlarmLists() {
  const { tenant } = useSession()
  return (
    <Page wide>
      <PageHeader
        title={t.alarms}
        crumbs={[{ label: t.audit, href: auditPath(tenant) }]}
        facts={<p className="max-w-[75ch] text-ink-2">{t.alarmIsRaisedWhen}</p>}
      />
      <Section title={t.open}>
        <Open />
      </Section>
      <Section title={t.closed}>
        <Closed />
      </Section>
    </Page>
  )
}

function Open() {
  const { data, error, refetch } = useOpenAlarms()
  const failed = error !== null && <AlarmsFailed error={error} retry={() => void refetch()} />
  if (data === undefined) return failed || <Skeleton label={t.loadingAlarms} rows={2} rowClass="h-20" />
  return (
    <>
      {failed}
      {error === null && data.items.length === 0 && <EmptyState title={t.noOpenAlarms}>{t.logIsReadAgain}</EmptyState>}
      <OpenAlarmList alarms={data.items} />
    </>
  )
}

function Closed() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.alarms.list, { status: 'closed' })
  return (
    <PagedTable
      pages={pages}
      caption={t.closedAlarms}
      columns={columns(tenant)}
      rowKey={(row) => row.id}
      failed={{ what: t.theClosed, act: t.seeAlarms, permission: 'audit:read' }}
      empty={<EmptyState title={t.noClosedAlarms}>{t.closedAlarmsAreListed}</EmptyState>}
    />
  )
}

const columns = (tenant: string): Column<Alarm>[] => [
  {
    key: 'what',
    header: t.what,
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
  { key: 'found', header: t.found, cell: (row) => <Time at={row.firstSeenAt} show="absolute" /> },
  { key: 'count', header: t.times, align: 'end', cell: (row) => formatNumber(row.count) },
  {
    key: 'reason',
    header: t.closedBecause,
    cell: (row) => (
      <span className="wrap-anywhere">
        <ShownText>{row.closeReason ?? ''}</ShownText>
      </span>
    ),
  },
  { key: 'by', header: t.closedBy, cell: (row) => <ShownText>{row.closedBy?.name ?? ''}</ShownText> },
  {
    key: 'at',
    header: t.closed,
    cell: (row) => (row.closedAt === null ? undefined : <Time at={row.closedAt} show="absolute" />),
  },
]
