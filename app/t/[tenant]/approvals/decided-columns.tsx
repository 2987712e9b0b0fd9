import Link from 'next/link'
import { approvalShape } from '#components/approvals/view.ts'
import type { ApprovalSummaries } from '#components/approvals/waiting.ts'
import { formatMoney } from '#components/language/formats.ts'
import * as t from '#components/texts/approvals/en.ts'
import { RiskBars } from '#components/ui/status/risk-bars.tsx'
import { SealShape, sealWord } from '#components/ui/status/seal.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { approvalPath } from '#lib/paths.ts'

type Row = ApprovalSummaries[number]

/** The columns of the decided list. The title links to the request. */
export const decidedColumns = (tenant: string): Column<Row>[] => [
  {
    key: 'title',
    header: t.request,
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col gap-0.5">
        <Link
          href={approvalPath(tenant, row.approvalId, { view: 'decided' })}
          prefetch={false}
          className="row-link text-link wrap-anywhere font-semibold"
        >
          <ShownText>{row.title}</ShownText>
        </Link>
        <span className="text-dense text-ink-2">
          {row.agentName === null ? (
            t.peopleGroupsAndSettings
          ) : (
            <>
              <ShownText>{row.agentName}</ShownText>
              {row.environment !== null && (
                <>
                  , <ShownText>{row.environment}</ShownText>
                </>
              )}
            </>
          )}
        </span>
      </span>
    ),
  },
  {
    key: 'amount',
    header: t.amount,
    align: 'end',
    cell: ({ amount }) =>
      amount && (
        <span className="whitespace-nowrap font-semibold tabular-nums">
          {formatMoney(amount.value, amount.currency)}
        </span>
      ),
  },
  { key: 'risk', header: t.risk, cell: ({ risk }) => <RiskBars level={risk} /> },
  {
    key: 'requester',
    header: t.requestedBy,
    cell: ({ requestedBy, requestedAt }) => (
      <span className="flex flex-col">
        <ShownText>{requestedBy.displayName}</ShownText>
        <span className="text-dense text-ink-2">
          <Time at={requestedAt} show="relative" />
        </span>
      </span>
    ),
  },
  {
    key: 'status',
    header: t.decision,
    cell: ({ status, decidedBy, decidedAt, seal, canceled }) => {
      const shape = approvalShape(status)
      const by = decidedBy ?? canceled?.by
      return (
        <span className="flex flex-col">
          <span className="flex flex-wrap items-center gap-x-2">
            <StatusShape status={shape.status} label={shape.label} />
            {seal !== 'none' && <RecordSeal sealed={seal === 'sealed'} />}
          </span>
          {by !== undefined && decidedAt !== null && (
            <span className="text-dense text-ink-2">
              <ShownText>{by.displayName}</ShownText>, <Time at={decidedAt} show="relative" />
            </span>
          )}
        </span>
      )
    },
  },
  {
    key: 'reason',
    header: t.reason,
    cell: ({ reason, canceled }) => {
      const why = reason ?? canceled?.reason
      return (
        why && (
          <span className="wrap-anywhere line-clamp-3">
            <ShownText>{why}</ShownText>
          </span>
        )
      )
    },
  },
]

/** Whether the record of the decision is sealed; what it proves is checked on the page of the request. */
function RecordSeal({ sealed }: { sealed: boolean }) {
  const state = sealed ? 'sealed' : 'unsealed'
  return (
    <span className="inline-flex text-ink-2" title={sealWord(state)}>
      <SealShape state={state} />
      <VisuallyHidden>{sealWord(state)}</VisuallyHidden>
    </span>
  )
}
