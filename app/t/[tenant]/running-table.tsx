'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { executionPath } from '#lib/paths.ts'
import type { ExecutionStatus, ExecutionSummary } from '#lib/schemas/executions.ts'

/** Lists executions that have not ended. */
export function RunningTable({ rows }: { rows: ExecutionSummary[] }) {
  const { tenant } = useSession()
  const columns: Column<ExecutionSummary>[] = [
    {
      key: 'agent',
      header: 'Execution',
      rowHeader: true,
      cell: (row) => (
        <Link href={executionPath(tenant, row.id)} prefetch={false} className="text-link wrap-anywhere">
          <ShownText>{row.agentName}</ShownText> <ShownText>{row.agentVersion}</ShownText>
        </Link>
      ),
    },
    {
      key: 'status',
      header: 'State',
      cell: ({ status }) => {
        const shape = shapeOf(status)
        return <StatusShape status={shape.status} label={shape.label} />
      },
    },
    { key: 'by', header: 'Started by', cell: ({ startedBy }) => <ShownText>{startedBy.displayName}</ShownText> },
    { key: 'at', header: 'Started', cell: ({ createdAt }) => <Time at={createdAt} show="relative" /> },
  ]
  return <DataTable caption="Running executions" columns={columns} rows={rows} rowKey={(row) => row.id} />
}

function shapeOf(status: ExecutionStatus): { status: Status; label: string } {
  switch (status) {
    case 'waiting_approval':
      return { status: 'waiting', label: 'Waiting for approval' }
    case 'waiting_input':
      return { status: 'waiting', label: 'Waiting for input' }
    case 'queued':
      return { status: 'pending', label: 'Queued' }
    default:
      return { status: 'running', label: 'Running' }
  }
}
