'use client'

import { type ReactNode, useState } from 'react'
import { useActions } from '#components/actions/registry.ts'
import type { Shown } from '#components/api/matching.ts'
import { type ActRun, isUnknown, useAct } from '#components/api/use-act.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/forms/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import type { Failure } from '#lib/failure.ts'
import type { Permission } from '#lib/permissions.ts'
import { ReasonField } from './reason-field.tsx'
import { whyNotReason } from './reason-rule.ts'
import { useStanding } from './use-standing.ts'

export type ReasonDialogProps = {
  /** Label of the button that opens the dialog and of the one that acts: "Cancel the wait". */
  label: string
  /** The label while the call is in progress: "Canceling the wait…". */
  busyLabel: InProgress
  /** Label of the button that closes the dialog without acting: "Keep waiting". */
  keepLabel: string
  /** After the label of the button that opens the dialog, for screen readers: which of several objects. */
  suffix?: ReactNode
  /** As a question: "Cancel the wait for manager_confirmation?" */
  title: string
  /** What will happen. */
  consequence: ReactNode
  permission: Permission
  /** The palette offers the action, too. For one of a page, not for one of each row. */
  offered?: boolean
  /** Why the action is currently unavailable; shown on the button. */
  blocked?: string | undefined
  /** The action is no longer possible: the button is removed, but an open dialog stays. */
  over?: boolean
  /** Replaces the usual rule and hint for actions that require more than a reason. */
  whyNot?: (reason: string) => string | undefined
  reasonHint?: string
  /** Performs the action; rejects with a RequestError or a tRPC error. */
  act: (reason: string, options: ActRun) => Promise<unknown>
  /** Topics that are reloaded after any outcome. */
  touches: readonly Shown[]
  /** The notice after success: "The wait is canceled." */
  done: string
  /** The title after a refusal: "The wait was not canceled." */
  notDone: string
}

/** An action that requires a reason for the audit record. It is shown as done only after the server has confirmed it. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { label, permission, blocked, over = false, offered = false } = props
  const { can } = useSession()
  const [open, setOpen] = useState(false)
  const reason = can(permission) ? blocked : whoCan(permission)
  useActions(offered && !over ? [{ title: label, blocked: reason, run: () => setOpen(true) }] : [])
  return (
    <>
      {!over && (
        <Button onClick={() => setOpen(true)} disabledReason={reason}>
          {label}
          {props.suffix}
        </Button>
      )}
      <ReasonPrompt {...props} open={open} onOpenChange={setOpen} />
    </>
  )
}

type ReasonPromptProps = Omit<ReasonDialogProps, 'offered' | 'suffix' | 'permission'> & {
  open: boolean
  onOpenChange: (open: boolean) => void
  returnTo?: () => HTMLElement | null | undefined
}

/** The dialog alone, for an action that a menu offers. */
export function ReasonPrompt(props: ReasonPromptProps) {
  const { label, busyLabel, keepLabel, title, consequence, over = false, act, touches, open, onOpenChange } = props
  const notice = useNotice()
  const [reason, setReason] = useState('')
  const acting = useAct({
    send: act,
    // The next attempt applies to the state that the page shows now.
    touches,
    onDone() {
      onOpenChange(false)
      setReason('')
      notice(props.done)
    },
  })
  const [failure, withdraw] = useStanding(acting.failure)
  const change = (next: boolean) => {
    // The dialog stays open during a call, so that its outcome is shown.
    if (acting.pending) return
    if (!next) acting.reset()
    onOpenChange(next)
  }
  const missing = (props.whyNot ?? whyNotReason)(reason)
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      {...(props.returnTo === undefined ? {} : { returnTo: props.returnTo })}
      title={title}
      description={consequence}
      actions={
        <>
          <Button onClick={() => change(false)} className="self-start">
            {keepLabel}
          </Button>
          <Button
            variant="primary"
            onClick={() => acting.run(reason.trim())}
            disabledReason={over ? t.noLongerPossible : (props.blocked ?? missing)}
            busyLabel={acting.pending ? busyLabel : undefined}
          >
            {label}
          </Button>
        </>
      }
    >
      <ReasonField
        value={reason}
        onChange={(typed) => {
          setReason(typed)
          withdraw()
        }}
        hint={props.reasonHint}
        locked={acting.pending}
      />
      {failure !== undefined && <Failed failure={failure} title={props.notDone} />}
    </Dialog>
  )
}

function Failed({ failure, title }: { failure: Failure; title: string }) {
  if (isUnknown(failure))
    return <ErrorPanel title={t.unknownDone} effect={failureText(failure)} advice={t.checkState} />
  return (
    <ErrorPanel
      title={title}
      effect={t.nothingChanged({ problem: failureText(failure) })}
      advice={
        failure.code === 'revision_conflict'
          ? t.reviewState
          : failure.code === 'conflict' || failure.code === 'wait_terminal'
            ? t.currentState
            : adviceFor(failure)
      }
      requestId={failure.requestId}
    />
  )
}
