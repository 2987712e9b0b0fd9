'use client'

import { shownText } from '#components/language/shown-text.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-decision/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Failure } from '#lib/failure.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import { Names } from '../case/names.tsx'
import { Changes } from './changes.tsx'
import type { View } from './decision-view.ts'
import { Note } from './note.tsx'
import type { DecisionControl } from './use-decision.ts'

/** Why the person can't decide now, or what became of their decision. Announced by screen readers when it changes. */
export function RailNotice({ id, decision, shown }: { id: string; decision: DecisionControl; shown: Approval }) {
  return (
    // There from the start, or the first notice would not be announced. Empty, it must not leave a gap.
    <div id={id} role="status" className="empty:-mt-4">
      <Notice decision={decision} view={decision.view} shown={shown} />
    </div>
  )
}

function Notice({ decision, view, shown }: { decision: DecisionControl; view: View; shown: Approval }) {
  const { signInAgain } = useSession()
  switch (view.is) {
    case 'loading':
      return null
    case 'open':
    case 'drafting':
      if (view.problem !== undefined) return <Refused failure={view.problem} />
      if (view.notRecorded)
        return (
          <Note tone="warn" title={t.yourDecisionWas}>
            {t.requestIsStillWaiting}
          </Note>
        )
      return view.onlyReject === undefined ? null : (
        <Note tone="warn" title={t.youCan}>
          <ShownText>{view.onlyReject}</ShownText> <Others shown={shown} />
        </Note>
      )
    case 'submitting':
      return null
    case 'unknown':
      return (
        <Note tone="warn" title={t.outcomeUnknownChecking}>
          {t.connectionWasLostBefore}
        </Note>
      )
    case 'recorded':
      return (
        <Note tone="ok" title={t.recorded({ decision: view.record.decision })}>
          {t.recordIsShownBelow({ waits: String(Boolean(view.record.waits && shown.status === 'pending')) })}
        </Note>
      )
    case 'decided':
      return <Decided approval={shown} />
    case 'expired':
      return (
        <Note tone="neutral" title={t.thisRequestHasExpired}>
          {t.expiryCountsAsRejection({ onExpiry: shown.presentation.onExpiry, shown: shownText })}
        </Note>
      )
    case 'blocked':
      return (
        <Note tone="warn" title={t.youCantDecideThis}>
          <ShownText>{view.message}</ShownText> <Others shown={shown} />
        </Note>
      )
    case 'offline':
      return (
        <Note tone="warn" title={t.youAreOffline}>
          {t.whatYouTypedIs}
        </Note>
      )
    case 'session-ended':
      return (
        <Note tone="warn" title={t.yourSession} action={<Button onClick={signInAgain}>{t.signInAgain}</Button>}>
          {t.whatYou}
        </Note>
      )
    case 'rate-limited':
      return (
        <Note tone="warn" title={t.tooManyRequests}>
          {t.yourDecisionWasNotRecorded}
        </Note>
      )
    case 'conflict':
    case 'drifted':
      return <Changes view={view} shown={shown} onReview={decision.review} />
  }
}

/** The people who can decide instead. */
function Others({ shown }: { shown: Approval }) {
  const { me } = useSession()
  const others = shown.groupMembers.filter((member) => member.id !== me.principal.id)
  const delegates = shown.delegates.filter(({ by }) => by.id !== me.principal.id)
  return (
    <>
      {others.length > 0 &&
        t.membersOfGroupNames({ names: () => <Names>{others.map((member) => member.displayName)}</Names> })}
      {delegates.length > 0 &&
        t.theirDelegatesNames({
          names: () => <Names>{[...new Set(delegates.map(({ by }) => by.displayName))]}</Names>,
        })}
    </>
  )
}

/** Who decided, when, what and why. */
export function Decided({ approval }: { approval: Approval }) {
  const last = approval.votes.at(-1)
  return (
    <Note tone="neutral" title={t.thisRequestIsAlready({ status: approval.status })}>
      {approval.changes !== null
        ? t.reviewerRequestedChangesSee
        : last === undefined
          ? UNDECIDED[approval.status]
          : t.namesDecidedItReason({ names: () => <Names>{[last.by.displayName]}</Names> })}
    </Note>
  )
}

const UNDECIDED: Partial<Record<Approval['status'], string>> = {
  expired: t.noOneDecidedIt,
  canceled: t.itWasWithdrawnOr,
}

function Refused({ failure }: { failure: Failure }) {
  return (
    <ErrorPanel
      title={failureText(failure)}
      effect={t.yourDecisionWas}
      advice={adviceFor(failure)}
      requestId={failure.requestId}
    />
  )
}
