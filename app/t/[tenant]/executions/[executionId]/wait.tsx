'use client'

import type { ReactNode } from 'react'
import { useApi } from '#components/api/api.tsx'
import { isLive } from '#components/executions/execution-status.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/execution-inputs/en.ts'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'
import type { InputResolution, InputWait } from '#lib/schemas/inputs.ts'
import { SendInput } from './send-input.tsx'
import { WaitMails } from './wait-mails.tsx'

const SHAPES: Record<InputWait['status'], { status: Status; label: string }> = {
  open: { status: 'waiting', label: t.open },
  matched: { status: 'running', label: t.answeredNotAppliedYet },
  satisfied: { status: 'approved', label: t.satisfied },
  canceled: { status: 'revoked', label: t.canceled },
  expired: { status: 'expired', label: t.expired },
  superseded: { status: 'revoked', label: t.superseded },
}

type WaitProps = {
  wait: InputWait
  executionStatus: ExecutionStatus
  /** Questions about this wait that were mailed to people. */
  mails: InputResolution[]
}

/** One wait: its input, its state, and the actions on it. */
export function Wait({ wait, executionStatus, mails }: WaitProps) {
  const { client } = useApi()
  const over = wait.status !== 'open'
  const { parkedAt } = wait
  return (
    <li className="flex flex-col gap-2 border-line border-b py-3">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h3 className="wrap-anywhere font-semibold">
          <ShownText>{wait.input}</ShownText>
        </h3>
        <StatusShape {...SHAPES[wait.status]} />
        <span className="text-dense text-ink-2">{t.stepNamed({ stepId: wait.stepId, shown: shownText })}</span>
      </div>
      <p className="max-w-[75ch]">{sentenceOf(wait)}</p>
      {wait.status === 'open' && parkedAt !== null && (
        <p className="max-w-[75ch] text-ink-2">
          {t.itsDeadlineHasBeen({ at: () => <Time at={parkedAt} show="absolute" /> })}
        </p>
      )}
      <WaitMails mails={mails} over={over && wait.status !== 'matched'} />
      <div className="flex flex-wrap items-start gap-3">
        <SendInput
          executionId={wait.executionId}
          input={wait.input}
          over={over}
          blocked={isLive(executionStatus) ? undefined : t.executionHasEnded}
        />
        <ReasonDialog
          label={t.cancelWait}
          busyLabel={t.cancelingWait}
          keepLabel={t.keepWaiting}
          title={t.cancelWaitFor({ input: wait.input })}
          consequence={t.laterAnswersAreNot}
          permission="input:manage"
          over={over}
          act={(reason, options) =>
            client.executions.inputWaits.cancel.mutate(
              { id: wait.id, expectedRevision: wait.revision, reason },
              options,
            )
          }
          touches={['executions', 'inputs']}
          done={t.waitForWasCanceled({ input: wait.input })}
          notDone={t.waitWasNotCanceled}
        />
      </div>
    </li>
  )
}

function sentenceOf({ status, openedAt, expiresAt, matchedAt, closedAt, onExpiry, parkedAt }: InputWait): ReactNode {
  const at = () => <Time at={openedAt} show="absolute" />
  switch (status) {
    case 'open':
      return t.waitsUntil({
        at,
        end: () => <Time at={expiresAt} show={parkedAt === null ? 'both' : 'absolute'} />,
        onExpiry,
      })
    case 'matched':
      return t.answerArrived({ at, end: () => <At at={matchedAt} /> })
    case 'satisfied':
      return t.answerApplied({ at, end: () => <At at={matchedAt} />, applied: () => <At at={closedAt} /> })
    case 'canceled':
      return t.canceledAt({ at, end: () => <At at={closedAt} /> })
    case 'expired':
      return t.noAnswerBy({ at, end: () => <Time at={expiresAt} show="absolute" />, onExpiry })
    case 'superseded':
      return t.closedAt({ at, end: () => <At at={closedAt} /> })
  }
}

const At = ({ at }: { at: string | null }) => (at === null ? t.atUnknownTime : <Time at={at} show="absolute" />)
