'use client'

import Link from 'next/link'
import { shownText } from '#components/language/shown-text.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-history/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath, approvalsPath } from '#lib/paths.ts'
import type { Approval, ApprovalSummary } from '#lib/schemas/approvals.ts'
import { useHistory } from './use-history.ts'

/** Warns when the same action on the same object was approved before, or is requested elsewhere, too. */
export function RepeatWarning({ shown }: { shown: Approval }) {
  const { repeats } = shown
  if (repeats === null) return null
  return (
    <>
      {repeats.approved !== null && <ApprovedBefore shown={shown} approved={repeats.approved} />}
      {repeats.pending > 0 && shown.status === 'pending' && <AlsoPending shown={shown} pending={repeats.pending} />}
    </>
  )
}

type Approved = NonNullable<NonNullable<Approval['repeats']>['approved']>

function ApprovedBefore({ shown, approved }: { shown: Approval; approved: Approved }) {
  const { tenant } = useSession()
  const { data } = useHistory(shown)
  const earlier = data?.sameObject.find(({ approvalId }) => approvalId === approved.approvalId)
  return (
    <Banner tone="danger" urgency="none">
      <p className="font-semibold">{t.sameActionOnSame({ at: () => <Time at={approved.decidedAt} /> })}</p>
      {/* The usual two lines, or three on a phone, have their place from the start, so that nothing below moves when they come. */}
      {(data === undefined || earlier !== undefined) && (
        <div className="min-h-15 narrow:min-h-10">{earlier !== undefined && <Earlier earlier={earlier} />}</div>
      )}
      <p>
        <Link
          href={approvalPath(tenant, approved.approvalId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center print:hidden"
        >
          {t.openThatDecision}
        </Link>
      </p>
    </Banner>
  )
}

function Earlier({ earlier: { title, decidedBy, reason, usedAt } }: { earlier: ApprovalSummary }) {
  return (
    <p>
      <ShownText>{title}</ShownText>
      {decidedBy !== null && <>{t.decidedBy({ decidedBy: decidedBy.displayName, shown: shownText })}</>}.{' '}
      {usedAt === null ? t.callHasNotBegun : t.callBeganTime({ at: () => <Time at={usedAt} show="clock" /> })}
      {reason !== null && (
        <>
          {' '}
          “<ShownText>{reason}</ShownText>”
        </>
      )}
    </p>
  )
}

function AlsoPending({ shown, pending }: { shown: Approval; pending: number }) {
  const { tenant } = useSession()
  return (
    <Banner tone="warn" urgency="none">
      <p>
        {pending === 1 ? t.anotherPendingRequestAsks : t.otherPendingRequestsAsk({ pending })}{' '}
        <Link
          href={approvalsPath(tenant, { view: 'all', q: shown.title })}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center print:hidden"
        >
          {pending === 1 ? t.findItInList : t.findThemInList}
        </Link>
      </p>
    </Banner>
  )
}
