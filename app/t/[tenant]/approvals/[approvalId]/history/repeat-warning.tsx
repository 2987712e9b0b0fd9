'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
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
      <p className="font-semibold">
        The same action on the same object was approved before: <Time at={approved.decidedAt} />.
      </p>
      {earlier !== undefined && <Earlier earlier={earlier} />}
      <p>
        <Link
          href={approvalPath(tenant, approved.approvalId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center"
        >
          Open that decision
        </Link>
      </p>
    </Banner>
  )
}

function Earlier({ earlier: { title, decidedBy, reason, usedAt } }: { earlier: ApprovalSummary }) {
  return (
    <p>
      <ShownText>{title}</ShownText>
      {decidedBy !== null && (
        <>
          , by <ShownText>{decidedBy.displayName}</ShownText>
        </>
      )}
      .{' '}
      {usedAt === null ? (
        'The call has not begun.'
      ) : (
        <>
          The call began <Time at={usedAt} show="clock" />.
        </>
      )}
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
        {pending === 1
          ? 'Another pending request asks for the same action on the same object.'
          : `${pending} other pending requests ask for the same action on the same object.`}{' '}
        <Link
          href={approvalsPath(tenant, { view: 'all', q: shown.title })}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center"
        >
          {pending === 1 ? 'Find it in the list' : 'Find them in the list'}
        </Link>
      </p>
    </Banner>
  )
}
