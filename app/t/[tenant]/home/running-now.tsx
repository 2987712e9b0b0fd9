'use client'

import { useMemo } from 'react'
import { useQuery } from '#components/api/query.ts'
import { executionColumns } from '#components/executions/execution-columns.tsx'
import { LIVE_STATUSES } from '#components/executions/execution-status.tsx'
import { formatNumber } from '#components/language/formats.ts'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { TableSkeleton } from '#components/ui/feedback/table-skeleton.tsx'
import { DataTable } from '#components/ui/text/data-table.tsx'
import { executionsPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { AllLink } from './all-link.tsx'
import { useNow } from './use-home.ts'

const shownRows = 5
/** The list of executions has the other columns, and the width for them. */
const left = new Set(['began', 'by'])

/** None of these has ended, so that their time is the time so far. */
const columnsOf = (tenant: string): ReturnType<typeof executionColumns> =>
  executionColumns(tenant)
    .filter(({ key }) => !left.has(key))
    .map((column) => (column.key === 'took' ? { ...column, header: t.soFar } : column))

/** The newest executions that have not ended, and how many there are. */
export function RunningNow() {
  const { tenant, can } = useSession()
  const trpc = useTRPC()
  const allowed = can('execution:read')
  const { data, error, refetch } = useQuery(
    trpc.executions.list.queryOptions({ limit: shownRows, status: LIVE_STATUSES }, { enabled: allowed }),
  )
  const columns = useMemo(() => columnsOf(tenant), [tenant])
  if (!allowed)
    return (
      <Section title={t.runningNow}>
        <MissingPermission act={t.seeExecutions} permission="execution:read" />
      </Section>
    )
  const running = data?.items
  return (
    <Section
      title={t.runningNow}
      note={<Counts />}
      aside={<AllLink href={executionsPath(tenant, { status: 'under-way' })}>{t.allRunning}</AllLink>}
    >
      {running === undefined ? (
        error === null ? (
          <TableSkeleton label={t.loadingExecutions} columns={columns} rows={4} dense />
        ) : (
          <RequestFailed
            error={error}
            what={t.theExecutions}
            plural
            act={t.seeExecutions}
            permission="execution:read"
            retry={() => void refetch()}
          />
        )
      ) : running.length === 0 ? (
        <EmptyState title={t.noExecutions}>{t.noExecutionsAbout}</EmptyState>
      ) : (
        <DataTable caption={t.runningExecutions} dense columns={columns} rows={running} rowKey={(row) => row.id} />
      )}
    </Section>
  )
}

/** "12 running, 341 wait for a person, 2 for input". */
function Counts() {
  const counts = useNow().data?.underWay
  if (counts === undefined || counts === null) return null
  const parts = [
    ...(counts.running > 0 ? [t.running({ count: formatNumber(counts.running) })] : []),
    ...(counts.waitingApproval > 0 ? [t.waitingApproval({ count: formatNumber(counts.waitingApproval) })] : []),
    ...(counts.waitingInput > 0 ? [t.waitingInput({ count: formatNumber(counts.waitingInput) })] : []),
  ]
  return parts.join(', ')
}
