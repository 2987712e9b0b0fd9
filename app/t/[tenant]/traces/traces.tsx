'use client'

import Link from 'next/link'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { formatDuration, formatNumber } from '#components/language/formats.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { useAddressSearch } from '#components/lists/address.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/traces/en.ts'
import { useTraceTitles } from '#components/traces/trace-title.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { tracePath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'
import { countSet, filterFrom, inputOf } from './filter.ts'
import { Filters } from './filters.tsx'

type Row = Answers['traces']['list']['items'][number]

const refreshMs = 5000

/** The tenant's traces, newest first. */
export function Traces() {
  return (
    <Permitted permission="trace:read" act={t.seeTraces} title={t.traces}>
      <TraceList />
    </Permitted>
  )
}

function TraceList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const filter = filterFrom(useAddressSearch())
  useChanges(['traces'], refreshMs)
  const pages = usePages(trpc.traces.list, inputOf(filter))
  const titleOf = useTraceTitles(pages.items ?? [])
  return (
    <Page wide>
      <PageHeader title={t.traces} />
      <Filters filter={filter} />
      <PagedTable
        pages={pages}
        caption={t.traces}
        columns={columns(tenant, titleOf)}
        rowKey={(row) => row.traceId}
        failed={{ what: t.theTraces, act: t.seeTraces, permission: 'trace:read' }}
        empty={
          countSet(filter) > 0 ? (
            <EmptyState title={t.noTracesMatchThese}>{t.changeOrClearFilters}</EmptyState>
          ) : (
            <EmptyState title={t.noTracesYet}>{t.eachExecutionRecordsOne}</EmptyState>
          )
        }
      />
      <p className="text-ink-2">{t.thisListIsIndex}</p>
    </Page>
  )
}

const columns = (tenant: string, titleOf: (row: Row) => string): Column<Row>[] => [
  {
    key: 'name',
    header: t.trace,
    rowHeader: true,
    cell: (row) => (
      <>
        <Link
          href={tracePath(tenant, row.traceId)}
          className="row-link text-link wrap-anywhere font-semibold"
          prefetch={false}
        >
          <ShownText>{titleOf(row)}</ShownText>
        </Link>{' '}
        {titleOf(row) !== row.name && (
          <span className="text-dense text-ink-2">
            <ShownText>{row.name}</ShownText>
          </span>
        )}
      </>
    ),
  },
  { key: 'state', header: t.state, cell: (row) => <TraceState row={row} /> },
  {
    key: 'agent',
    header: t.agent,
    cell: (row) => (row.agentName === null ? undefined : <ShownText>{row.agentName}</ShownText>),
  },
  { key: 'spans', header: t.spans, align: 'end', cell: (row) => formatNumber(row.spanCount) },
  { key: 'took', header: t.duration, align: 'end', cell: tookOf },
  { key: 'age', header: t.started, cell: (row) => <Time at={row.startedAt} show="relative" /> },
]

function TraceState({ row: { endedAt, errorCount } }: { row: Row }) {
  if (endedAt === null) return <StatusShape status="running" />
  if (errorCount > 0) return <StatusShape status="failed" label={t.countErrors({ errors: errorCount })} />
  return <StatusShape status="approved" label={t.ended} />
}

const tookOf = ({ startedAt, endedAt }: Row): string =>
  endedAt === null ? '' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt))
