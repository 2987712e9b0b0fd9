'use client'

import Link from 'next/link'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { StopState } from '#components/executions/stop-state.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { formatDuration } from '#lib/format.ts'
import { executionPath } from '#lib/paths.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'

const refreshMs = 2000
const perPage = 20

/** The agent's executions with a stop request, with the times of the request and of the confirmation. */
export function Stops({ agentId }: { agentId: string }) {
  const { can } = useSession()
  if (!can('execution:read')) return <MissingPermission act="see executions" permission="execution:read" />
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
      caption="Executions with a stop request"
      columns={columns(tenant)}
      rowKey={(row) => row.id}
      failed={{ what: 'The executions', act: 'see executions', permission: 'execution:read' }}
      empty={null}
    />
  )
}

const columns = (tenant: string): Column<ExecutionSummary>[] => [
  {
    key: 'execution',
    header: 'Execution',
    rowHeader: true,
    cell: (row) => (
      <Link href={executionPath(tenant, row.id)} prefetch={false} className="text-link">
        <ShownText>{row.agentVersion}</ShownText> in {row.environment}
      </Link>
    ),
  },
  { key: 'status', header: 'State', cell: (row) => <ExecutionStatusShape status={row.status} /> },
  {
    key: 'requested',
    header: 'Stop requested',
    cell: ({ stopRequestedAt }) => stopRequestedAt !== null && <Time at={stopRequestedAt} show="absolute" />,
  },
  {
    key: 'confirmed',
    header: 'Stop confirmed',
    cell: ({ status, stopRequestedAt, stopConfirmedAt }) =>
      stopRequestedAt !== null && <StopState stop={{ status, stopRequestedAt, stopConfirmedAt }} />,
  },
  {
    key: 'took',
    header: 'Duration',
    align: 'end',
    cell: ({ stopRequestedAt, stopConfirmedAt }) =>
      stopRequestedAt === null || stopConfirmedAt === null
        ? ''
        : formatDuration(Date.parse(stopConfirmedAt) - Date.parse(stopRequestedAt)),
  },
]
