'use client'

import Link from 'next/link'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { StopState } from '#components/executions/stop-state.tsx'
import { formatDuration } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import type { Column } from '#components/ui/text/data-table.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { executionPath } from '#lib/paths.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'

const refreshMs = 2000
const perPage = 20

/** The agent's executions with a stop request, with the times of the request and of the confirmation. */
export function Stops({ agentId }: { agentId: string }) {
  const { can } = useSession()
  if (!can('execution:read')) return <MissingPermission act={t.seeExecutions} permission="execution:read" />
  return <StopList agentId={agentId} />
}

function StopList({ agentId }: { agentId: string }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  useChanges(['executions'], refreshMs)
  const pages = usePages(trpc.executions.list, { agentId, stopRequested: true, limit: perPage })
  // Most agents were never stopped. Their page does not speak of it.
  if (pages.error === null && (pages.items ?? []).length === 0) return null
  return (
    <PagedTable
      pages={pages}
      caption={t.executionsWithStopRequest}
      columns={columns(tenant)}
      rowKey={(row) => row.id}
      failed={{ what: t.theExecutions, act: t.seeExecutions, permission: 'execution:read' }}
      empty={null}
    />
  )
}

const columns = (tenant: string): Column<ExecutionSummary>[] => [
  {
    key: 'execution',
    header: t.execution,
    rowHeader: true,
    cell: (row) => (
      <Link href={executionPath(tenant, row.id)} prefetch={false} className="text-link">
        {t.shownVersionIn({ agentVersion: row.agentVersion, shown: shownText, environment: row.environment })}
      </Link>
    ),
  },
  { key: 'status', header: t.state, cell: (row) => <ExecutionStatusShape status={row.status} /> },
  {
    key: 'requested',
    header: t.stopRequested,
    cell: ({ stopRequestedAt }) => stopRequestedAt !== null && <Time at={stopRequestedAt} show="absolute" />,
  },
  {
    key: 'confirmed',
    header: t.stopConfirmed,
    cell: ({ status, stopRequestedAt, stopConfirmedAt }) =>
      stopRequestedAt !== null && <StopState stop={{ status, stopRequestedAt, stopConfirmedAt }} />,
  },
  {
    key: 'took',
    header: t.duration,
    align: 'end',
    cell: ({ stopRequestedAt, stopConfirmedAt }) =>
      stopRequestedAt === null || stopConfirmedAt === null
        ? ''
        : formatDuration(Date.parse(stopConfirmedAt) - Date.parse(stopRequestedAt)),
  },
]
