'use client'

import Link from 'next/link'
import { scaleOf } from '#components/approvals/amount-scale.ts'
import { approvalShape } from '#components/approvals/view.ts'
import { formatMoney } from '#components/language/formats.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-history/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { Approval, ApprovalHistory, ApprovalSummary, Money } from '#lib/schemas/approvals.ts'
import { visibleText } from '#lib/text/visible-text.ts'
import { useHistory } from './use-history.ts'

/** What people decided before: on the same object, and the last ten of the same action. */
export function HistorySection({ shown }: { shown: Approval }) {
  const { data, error, refetch } = useHistory(shown)
  if (error !== null && data === undefined)
    return (
      <CustodySection title={t.earlierDecisions}>
        <RequestFailed
          error={error}
          what={t.theEarlier}
          act={t.seeApprovals}
          permission="approval:list"
          retry={() => void refetch()}
        />
      </CustodySection>
    )
  if (data === undefined)
    return (
      <CustodySection title={t.earlierDecisions}>
        <Skeleton label={t.loadingEarlierDecisions} rows={3} rowClass="h-7" />
      </CustodySection>
    )
  return (
    <CustodySection title={t.earlierDecisions} note={noteOf(data)}>
      {data.sameObject.length > 0 && <SameObject earlier={data.sameObject} />}
      {data.sameShape.length === 0 ? (
        <p>{t.noOneHasDecided({ call: String(isCall(shown)) })}</p>
      ) : (
        <SameShape shown={shown} history={data} />
      )}
    </CustodySection>
  )
}

function noteOf({ sameShape }: ApprovalHistory): string | undefined {
  if (sameShape.length === 0) return undefined
  const approved = sameShape.filter(({ status }) => status === 'approved').length
  return t.lastOfAction({
    count: sameShape.length,
    approved: String(approved),
    rejected: String(sameShape.length - approved),
  })
}

/** The last ones matter most. */
const unfolded = 3

function SameObject({ earlier }: { earlier: ApprovalSummary[] }) {
  return (
    <div className="flex flex-col gap-1">
      <h3 className="font-semibold">{t.onSameObject}</h3>
      <Decisions caption={t.decisionsOnSameObject} decisions={earlier.slice(0, unfolded)} />
      {earlier.length > unfolded && (
        <details>
          <summary className="text-link inline-flex min-h-6 cursor-pointer items-center">
            {t.moreOnSame({ count: String(earlier.length - unfolded) })}
          </summary>
          <Decisions caption={t.moreDecisionsOnSame} decisions={earlier.slice(unfolded)} />
        </details>
      )}
    </div>
  )
}

function SameShape({ shown, history: { sameShape } }: { shown: Approval; history: ApprovalHistory }) {
  const table = <Decisions caption={t.decisionsOnSameAction} decisions={sameShape} />
  if (shown.amount === null || sameShape.every(({ amount }) => amount?.currency !== shown.amount?.currency))
    return table
  return (
    <>
      <Strip shown={shown} decisions={[...sameShape].reverse()} />
      <details>
        <summary className="text-link inline-flex min-h-6 cursor-pointer items-center">{t.asTableWithReasons}</summary>
        {table}
      </details>
    </>
  )
}

/** "€4,200" for €4,200.00: the columns are narrow. */
const shortMoney = ({ value, currency }: Money): string => (formatMoney(value, currency) ?? value).replace(/\.00$/, '')

/** In pixels. */
const tallest = 48
const shortest = 6

/** One bar for each decision, the oldest first, and this request at the end. The height is the logarithm of the amount. */
function Strip({ shown, decisions }: { shown: Approval; decisions: ApprovalSummary[] }) {
  const { tenant } = useSession()
  const all = [...decisions, shown]
  const place = scaleOf(all.flatMap(({ amount }) => (amount === null ? [] : [amount.value])))
  const heightOf = ({ amount }: ApprovalSummary) =>
    amount === null ? 0 : shortest + place(amount.value) * (tallest - shortest)
  return (
    <div>
      <ol aria-label={t.amountsOfLastDecisions} className="hidden items-end border-line border-b narrow:flex">
        {all.map((one) => (
          <li
            key={one.approvalId}
            className={classNames(
              'flex min-w-0 flex-1 flex-col items-center gap-0.5 px-0.5 pb-1.5 text-center text-dense',
              one === shown && 'bg-sunken font-semibold',
            )}
          >
            <Bar height={heightOf(one)} decision={one} isShown={one === shown} />
            <StatusIcon decision={one} />
            <span className="whitespace-nowrap tabular-nums">
              {one.amount === null ? t.noAmount : shortMoney(one.amount)}
            </span>
            {one === shown ? (
              <span>{t.thisOne}</span>
            ) : (
              <Link
                href={approvalPath(tenant, one.approvalId)}
                prefetch={false}
                title={visibleText(one.title)}
                className="text-link wrap-anywhere min-h-6 text-ink-2"
              >
                {one.decidedAt === null ? t.open : <Time at={one.decidedAt} show="relative" />}
              </Link>
            )}
          </li>
        ))}
      </ol>
      <p className="hidden pt-1 text-dense text-ink-2 narrow:block">{t.filledBarsWereApproved}</p>
    </div>
  )
}

type BarProps = { height: number; decision: ApprovalSummary; isShown: boolean }

function Bar({ height, decision: { status }, isShown }: BarProps) {
  const look = isShown
    ? 'fill-info stroke-info'
    : status === 'approved'
      ? 'fill-ink-2 stroke-ink-2'
      : 'fill-none stroke-ink-2'
  return (
    <svg viewBox={`0 0 12 ${tallest + 2}`} aria-hidden="true" className="h-12.5 w-3">
      <rect x={1} y={tallest + 1 - height} width={10} height={height} className={look} />
    </svg>
  )
}

function StatusIcon({ decision: { status } }: { decision: ApprovalSummary }) {
  const shape = approvalShape(status)
  return <StatusShape status={shape.status} label={shape.label} wordless />
}

function Decisions({ caption, decisions }: { caption: string; decisions: ApprovalSummary[] }) {
  const { tenant } = useSession()
  const columns: Column<ApprovalSummary>[] = [
    {
      key: 'title',
      header: t.request,
      rowHeader: true,
      cell: ({ approvalId, title }) => (
        <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="row-link text-link wrap-anywhere">
          <ShownText>{title}</ShownText>
        </Link>
      ),
    },
    {
      key: 'decision',
      header: t.decision,
      cell: ({ status, decidedBy, decidedAt }) => {
        const shape = approvalShape(status)
        return (
          <span className="flex flex-col">
            <StatusShape status={shape.status} label={shape.label} />
            <span className="text-ink-2">
              {decidedBy !== null && (
                <>
                  <ShownText>{decidedBy.displayName}</ShownText>,{' '}
                </>
              )}
              {decidedAt !== null && <Time at={decidedAt} show="relative" />}
            </span>
          </span>
        )
      },
    },
    {
      key: 'reason',
      header: t.reason,
      cell: ({ reason }) =>
        reason && (
          <span className="wrap-anywhere line-clamp-3">
            <ShownText>{reason}</ShownText>
          </span>
        ),
    },
  ]
  return <DataTable caption={caption} columns={columns} rows={decisions} rowKey={(row) => row.approvalId} dense />
}

/** Decisions on calls of the same tool are compared, those on changes only if they are about the same object. */
const isCall = ({ kind }: Approval): boolean => kind === 'tool_call' || kind === 'external_call'
