'use client'

import Link from 'next/link'
import { formatDuration } from '#components/language/formats.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { Execution } from '#lib/schemas/executions.ts'

type Step = Execution['steps'][number]

const SHAPES: Record<Step['status'], { status: Status; label: string }> = {
  pending: { status: 'pending', label: t.notStarted },
  decided: { status: 'running', label: t.decided },
  waiting_approval: { status: 'waiting', label: t.waitingForApproval },
  waiting_input: { status: 'waiting', label: t.waitingForInput },
  approved: { status: 'approved', label: t.approvedNotCalledYet },
  calling: { status: 'running', label: t.calling },
  succeeded: { status: 'approved', label: t.done },
  failed: { status: 'failed', label: t.failed },
  skipped: { status: 'revoked', label: t.skipped },
}

/** A step as it is shown: in an ended execution, a call without an answer does not go on, and what was left has another reason than its condition. */
function shapeOf({ status, endedAt }: Step, over: boolean): { status: Status; label: string } {
  if (over && status === 'calling') return { status: 'failed', label: t.outcomeUnknown }
  if (over && status === 'skipped' && endedAt === null) return { status: 'revoked', label: t.notCarriedOut }
  return SHAPES[status]
}

const KINDS: Record<Step['kind'], string> = { tool: t.toolCall, wait: t.waitForInput, model: t.modelCall }

/** Every step of the release, including those that have not started. */
export function StepTable({ execution: { steps, endedAt } }: { execution: Execution }) {
  const { tenant } = useSession()
  if (steps.length === 0) return <EmptyState title={t.thisAgentDoesNot}>{t.itsCallsAppearIn}</EmptyState>
  const columns: Column<Step>[] = [
    { key: 'number', header: t.no, cell: (step) => steps.indexOf(step) + 1 },
    {
      key: 'id',
      header: t.step,
      rowHeader: true,
      cell: (step) => <ShownText>{step.id}</ShownText>,
    },
    {
      key: 'what',
      header: t.whatItDoes,
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
    { key: 'status', header: t.state, cell: (step) => <StatusShape {...shapeOf(step, endedAt !== null)} /> },
    { key: 'took', header: t.duration, align: 'end', cell: tookOf },
    {
      key: 'approval',
      header: t.approval,
      cell: ({ approvalId, id }) =>
        approvalId === null ? undefined : (
          <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="text-link print:hidden">
            {t.openRequestOfStep({ id, hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden> })}
          </Link>
        ),
    },
  ]
  return <DataTable caption={t.steps} columns={columns} rows={steps} rowKey={(step) => step.id} />
}

const tookOf = ({ startedAt, endedAt }: Step): string =>
  startedAt === null || endedAt === null ? '' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt))
