'use client'

import { type ReactNode, useState } from 'react'
import type { Shown } from '#components/api/matching.ts'
import { type ActRun, useAct } from '#components/api/use-act.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Failure } from '#lib/failure.ts'
import { limits } from '#lib/limits.ts'
import type { Permission } from '#lib/permissions.ts'

type ReasonDialogProps = {
  /** On the button, and on the one in the dialog that acts: "Cancel the wait". */
  label: string
  /** The same while it is under way: "Canceling the wait". */
  busyLabel: string
  /** Leaves everything as it is: "Keep waiting". */
  keepLabel: string
  /** As a question: "Cancel the wait for manager_confirmation?" */
  title: string
  /** What will happen. */
  consequence: ReactNode
  permission: Permission
  /** Why it can't be done as things are; said on the button. */
  blocked?: string | undefined
  /** There is nothing to do it to any more: no button, but an open dialog stays with what it says. */
  over?: boolean
  /** Does it; rejects with what RequestError and tRPC reject with. */
  act: (reason: string, options: ActRun) => Promise<unknown>
  /** What is read again after any outcome. */
  touches: readonly Shown[]
  /** Said after it is done: "The wait is canceled." */
  done: string
  /** Said when it is refused: "The wait was not canceled." */
  notDone: string
}

/** An act that needs a reason for the record. It shows as done when the server has said so, and never before. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { label, busyLabel, keepLabel, title, consequence, permission, blocked, over = false, act, touches } = props
  const { can } = useSession()
  const notice = useNotice()
  const [open, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const acting = useAct({
    send: act,
    // What is on the page is what the next try is about.
    touches,
    onDone() {
      setOpen(false)
      setReason('')
      notice(props.done)
    },
  })
  const change = (next: boolean) => {
    // A call under way is waited for: whoever leaves would not learn its outcome.
    if (acting.pending) return
    if (next) acting.reset()
    setOpen(next)
  }
  const length = reason.trim().length
  const missing = length === 0 ? 'Give a reason.' : length > limits.reason ? 'The reason is too long.' : undefined
  return (
    <>
      {!over && (
        <Button onClick={() => change(true)} disabledReason={can(permission) ? blocked : whoCan(permission)}>
          {label}
        </Button>
      )}
      <Dialog
        open={open}
        onOpenChange={change}
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
              disabledReason={over ? 'This is no longer possible.' : missing}
              busyLabel={acting.pending ? busyLabel : undefined}
            >
              {label}
            </Button>
          </>
        }
      >
        <TextArea
          label="Reason"
          hint="Required, kept in the audit record"
          limit={limits.reason}
          value={reason}
          readOnly={acting.pending}
          onChange={(event) => setReason(event.target.value)}
        />
        {acting.failure !== undefined && <NotDone failure={acting.failure} title={props.notDone} />}
      </Dialog>
    </>
  )
}

function NotDone({ failure, title }: { failure: Failure; title: string }) {
  const unknown = failure.code === 'network' || failure.code === 'timeout'
  if (unknown)
    return (
      <ErrorPanel
        title="It is unknown whether it was done."
        effect={failure.message}
        advice="Check the state on the page before you try again."
      />
    )
  return (
    <ErrorPanel
      title={title}
      effect={`${failure.message} Nothing was changed.`}
      advice={
        failure.code === 'revision_conflict'
          ? 'The page shows the current state. Review it, then try again.'
          : failure.code === 'conflict' || failure.code === 'wait_terminal'
            ? 'The page shows the current state.'
            : adviceFor(failure)
      }
      requestId={failure.requestId}
    />
  )
}
