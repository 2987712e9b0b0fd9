'use client'

import type { ReactNode } from 'react'
import { useApi } from '#components/api/api.tsx'
import { isLive } from '#components/executions/execution-status.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'
import type { InputResolution, InputWait } from '#lib/schemas/inputs.ts'
import { SendInput } from './send-input.tsx'
import { WaitMails } from './wait-mails.tsx'

const SHAPES: Record<InputWait['status'], { status: Status; label: string }> = {
  open: { status: 'waiting', label: 'Open' },
  matched: { status: 'running', label: 'Answered, not applied yet' },
  satisfied: { status: 'approved', label: 'Satisfied' },
  canceled: { status: 'revoked', label: 'Canceled' },
  expired: { status: 'expired', label: 'Expired' },
  superseded: { status: 'revoked', label: 'Superseded' },
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
  return (
    <li className="flex flex-col gap-2 border-line border-b py-3">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h3 className="wrap-anywhere font-semibold">
          <ShownText>{wait.input}</ShownText>
        </h3>
        <StatusShape {...SHAPES[wait.status]} />
        <span className="text-dense text-ink-2">
          step <ShownText>{wait.stepId}</ShownText>
        </span>
      </div>
      <p className="max-w-[75ch]">{sentenceOf(wait)}</p>
      {wait.status === 'open' && wait.parkedAt !== null && (
        <p className="max-w-[75ch] text-ink-2">
          Its deadline has been paused since <Time at={wait.parkedAt} show="absolute" />, because the agent is
          suspended.
        </p>
      )}
      <WaitMails mails={mails} over={over && wait.status !== 'matched'} />
      <div className="flex flex-wrap items-start gap-3">
        <SendInput
          executionId={wait.executionId}
          input={wait.input}
          over={over}
          blocked={isLive(executionStatus) ? undefined : 'The execution has ended.'}
        />
        <ReasonDialog
          label="Cancel the wait"
          busyLabel="Canceling the wait…"
          keepLabel="Keep waiting"
          title={`Cancel the wait for ${wait.input}?`}
          consequence="Later answers are not accepted. If one of the step’s other inputs is enough, the step continues with those. Otherwise the execution ends as canceled, and its remaining calls are not made. A closed wait can’t be reopened."
          permission="input:manage"
          over={over}
          act={(reason, options) =>
            client.executions.inputWaits.cancel.mutate(
              { id: wait.id, expectedRevision: wait.revision, reason },
              options,
            )
          }
          touches={['executions', 'inputs']}
          done={`The wait for ${wait.input} was canceled.`}
          notDone="The wait was not canceled."
        />
      </div>
    </li>
  )
}

function sentenceOf({ status, openedAt, expiresAt, matchedAt, closedAt, onExpiry, parkedAt }: InputWait): ReactNode {
  const opened = (
    <>
      Opened <Time at={openedAt} show="absolute" />.
    </>
  )
  switch (status) {
    case 'open':
      return (
        <>
          {opened} Waits until <Time at={expiresAt} show={parkedAt === null ? 'both' : 'absolute'} />;{' '}
          {onExpiry === 'fail'
            ? 'without an answer by then, the execution ends as expired.'
            : 'without an answer by then, the execution continues with the manifest’s default.'}
        </>
      )
    case 'matched':
      return (
        <>
          {opened} An answer arrived <At at={matchedAt} />. The execution will apply it next.
        </>
      )
    case 'satisfied':
      return (
        <>
          {opened} An answer arrived <At at={matchedAt} />, and the execution applied it <At at={closedAt} />.
        </>
      )
    case 'canceled':
      return (
        <>
          {opened} Canceled <At at={closedAt} />, by a person or because the execution ended.
        </>
      )
    case 'expired':
      return (
        <>
          {opened} No answer arrived by <Time at={expiresAt} show="absolute" />;{' '}
          {onExpiry === 'fail'
            ? 'the execution ends, as its manifest requires.'
            : 'the manifest’s default was applied.'}
        </>
      )
    case 'superseded':
      return (
        <>
          {opened} Closed <At at={closedAt} />: another input of the same step was enough.
        </>
      )
  }
}

const At = ({ at }: { at: string | null }) => (at === null ? 'at an unknown time' : <Time at={at} show="absolute" />)
