'use client'

import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Failure } from '#lib/failure.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import { Names } from '../case/names.tsx'
import { DECIDED } from '../words.tsx'
import { Changes } from './changes.tsx'
import type { View } from './decision-view.ts'
import { Note } from './note.tsx'
import type { DecisionControl } from './use-decision.ts'

/** Why the person can't decide now, or what became of their decision. Announced by screen readers when it changes. */
export function RailNotice({ id, decision, shown }: { id: string; decision: DecisionControl; shown: Approval }) {
  return (
    <div id={id} role="status" className="empty:hidden">
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
          <Note tone="warn" title="Your decision was not recorded.">
            The request is still waiting and has not changed. You can send the same decision again; it counts once.
          </Note>
        )
      return view.onlyReject === undefined ? null : (
        <Note tone="warn" title="You can reject this, but not approve it.">
          <ShownText>{view.onlyReject}</ShownText> <Others shown={shown} />
        </Note>
      )
    case 'submitting':
      return null
    case 'unknown':
      return (
        <Note tone="warn" title="Outcome unknown. Checking…">
          The connection was lost before the server confirmed your decision. This page is checking whether it was
          recorded; until then you can’t send another.
        </Note>
      )
    case 'recorded':
      return (
        <Note tone="ok" title={`Recorded: ${DECIDED[view.record.decision].toLowerCase()}.`}>
          {view.record.waits && shown.status === 'pending'
            ? 'The request is still waiting, because it needs more decisions. '
            : 'The record is shown below the request. '}
          It can’t be undone.
        </Note>
      )
    case 'decided':
      return <Decided approval={shown} />
    case 'expired':
      return (
        <Note tone="neutral" title="This request has expired.">
          Expiry counts as rejection. <ShownText>{shown.presentation.onExpiry}</ShownText> What you typed is still here.
        </Note>
      )
    case 'blocked':
      return (
        <Note tone="warn" title="You can’t decide this.">
          <ShownText>{view.message}</ShownText> <Others shown={shown} />
        </Note>
      )
    case 'offline':
      return (
        <Note tone="warn" title="You are offline.">
          What you typed is still here. You can send it once you are back online.
        </Note>
      )
    case 'session-ended':
      return (
        <Note tone="warn" title="Your session has ended." action={<Button onClick={signInAgain}>Sign in again</Button>}>
          What you typed is still here.
        </Note>
      )
    case 'rate-limited':
      return (
        <Note tone="warn" title="Too many requests.">
          Your decision was not recorded. Try again in a moment.
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
      {others.length > 0 && (
        <>
          Members of the group: <Names>{others.map((member) => member.displayName)}</Names>.
        </>
      )}
      {delegates.length > 0 && (
        <>
          {' '}
          Their delegates: <Names>{[...new Set(delegates.map(({ by }) => by.displayName))]}</Names>.
        </>
      )}
    </>
  )
}

/** Who decided, when, what and why. */
export function Decided({ approval }: { approval: Approval }) {
  const last = approval.votes.at(-1)
  return (
    <Note tone="neutral" title={`This request is already ${approval.status}.`}>
      {approval.changes !== null ? (
        'A reviewer requested changes. See below the request.'
      ) : last === undefined ? (
        UNDECIDED[approval.status]
      ) : (
        <>
          <Names>{[last.by.displayName]}</Names> decided it. The reason is shown below the request.
        </>
      )}
    </Note>
  )
}

const UNDECIDED: Partial<Record<Approval['status'], string>> = {
  expired: 'No one decided it in time.',
  canceled: 'It was withdrawn, or its execution or proposal ended, before anyone decided.',
}

function Refused({ failure }: { failure: Failure }) {
  return (
    <ErrorPanel
      title={failure.message}
      effect="Your decision was not recorded."
      advice={adviceFor(failure)}
      requestId={failure.requestId}
    />
  )
}
