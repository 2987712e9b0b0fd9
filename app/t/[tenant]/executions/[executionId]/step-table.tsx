'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { formatDuration } from '#lib/format.ts'
import { approvalPath } from '#lib/paths.ts'
import type { Execution } from '#lib/schemas/executions.ts'

type Step = Execution['steps'][number]

const SHAPES: Record<Step['status'], { status: Status; label: string }> = {
  pending: { status: 'pending', label: 'Not started' },
  decided: { status: 'running', label: 'Decided' },
  waiting_approval: { status: 'waiting', label: 'Waiting for approval' },
  waiting_input: { status: 'waiting', label: 'Waiting for input' },
  approved: { status: 'approved', label: 'Approved, not called yet' },
  calling: { status: 'running', label: 'Calling…' },
  succeeded: { status: 'approved', label: 'Done' },
  failed: { status: 'failed', label: 'Failed' },
  skipped: { status: 'revoked', label: 'Skipped' },
}

const KINDS: Record<Step['kind'], string> = { tool: 'Tool call', wait: 'Wait for input', model: 'Model call' }

/** Every step of the release, including those that have not started. */
export function StepTable({ execution: { steps } }: { execution: Execution }) {
  const { tenant } = useSession()
  if (steps.length === 0)
    return (
      <EmptyState title="This agent does not have fixed steps.">
        Its calls appear in the journal as it makes them.
      </EmptyState>
    )
  const columns: Column<Step>[] = [
    { key: 'number', header: 'No.', cell: (step) => steps.indexOf(step) + 1 },
    {
      key: 'id',
      header: 'Step',
      rowHeader: true,
      cell: (step) => <ShownText>{step.id}</ShownText>,
    },
    {
      key: 'what',
      header: 'What it does',
      cell: (step) => (
        <>
          {KINDS[step.kind]}
          {step.kind === 'tool' && (
            <>
              {' '}
              <code className="wrap-anywhere font-mono text-dense">
                <ShownText>{step.title}</ShownText>
              </code>
            </>
          )}
        </>
      ),
    },
    { key: 'status', header: 'State', cell: (step) => <StatusShape {...SHAPES[step.status]} /> },
    { key: 'took', header: 'Duration', align: 'end', cell: tookOf },
    {
      key: 'approval',
      header: 'Approval',
      cell: ({ approvalId, id }) =>
        approvalId === null ? undefined : (
          <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="text-link">
            Open<VisuallyHidden> the request of step {id}</VisuallyHidden>
          </Link>
        ),
    },
  ]
  return <DataTable caption="Steps" columns={columns} rows={steps} rowKey={(step) => step.id} />
}

const tookOf = ({ startedAt, endedAt }: Step): string =>
  startedAt === null || endedAt === null ? '' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt))
