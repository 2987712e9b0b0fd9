'use client'

import Link from 'next/link'
import { approvalShape } from '#components/approvals/view.ts'
import type { ApprovalSummaries } from '#components/approvals/waiting.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { RiskBars } from '#components/ui/status/risk-bars.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { type ApprovalsView, approvalPath } from '#lib/paths.ts'
import { formatMoney } from '#lib/rules/effect.ts'

type Row = ApprovalSummaries[number]

/** Requests as rows. The title links to the request. Below it is the reason why the reader can't decide it, if there is one. */
export function ApprovalTable({ view, rows }: { view: ApprovalsView; rows: Row[] }) {
  const { tenant } = useSession()
  const columns: Column<Row>[] = [
    {
      key: 'title',
      header: 'Request',
      rowHeader: true,
      cell: (row) => (
        <span className="flex flex-col gap-0.5">
          <Link
            href={approvalPath(tenant, row.approvalId, { view })}
            prefetch={false}
            className="text-link wrap-anywhere font-semibold"
          >
            <ShownText>{row.title}</ShownText>
          </Link>
          <span className="text-dense text-ink-2">
            {row.agentName === null ? (
              'People, groups and settings'
            ) : (
              <>
                <ShownText>{row.agentName}</ShownText>
                {row.environment !== null && `, ${row.environment}`}
              </>
            )}
          </span>
          {view !== 'decided' && row.ineligibleReason !== null && (
            <span className="text-dense text-ink-2">{row.ineligibleReason}</span>
          )}
        </span>
      ),
    },
    {
      key: 'amount',
      header: 'Amount',
      align: 'end',
      cell: ({ amount }) =>
        amount == null ? null : (
          <span className="whitespace-nowrap font-semibold tabular-nums">
            {formatMoney(amount.value, amount.currency)}
          </span>
        ),
    },
    { key: 'risk', header: 'Risk', cell: ({ risk }) => <RiskBars level={risk} /> },
    {
      key: 'requester',
      header: 'Requested by',
      cell: ({ requestedBy, requestedAt }) => (
        <span className="flex flex-col">
          <ShownText>{requestedBy.displayName}</ShownText>
          <span className="text-dense text-ink-2">
            <Time at={requestedAt} show="relative" />
          </span>
        </span>
      ),
    },
    view === 'decided'
      ? {
          key: 'status',
          header: 'Decision',
          cell: ({ status, decidedBy, decidedAt }) => {
            const shape = approvalShape(status)
            return (
              <span className="flex flex-col">
                <StatusShape status={shape.status} label={shape.label} />
                {decidedBy !== null && decidedAt !== null && (
                  <span className="text-dense text-ink-2">
                    <ShownText>{decidedBy.displayName}</ShownText>, <Time at={decidedAt} show="relative" />
                  </span>
                )}
              </span>
            )
          },
        }
      : { key: 'expires', header: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} show="relative" /> },
    // The group that the request was sent to. The request itself names the member who decided.
    {
      key: 'group',
      header: view === 'decided' ? 'Requested' : 'Waiting for',
      cell: ({ group }) => <ShownText>{group}</ShownText>,
    },
  ]
  return <DataTable caption="Approvals" columns={columns} rows={rows} rowKey={(row) => row.approvalId} />
}
