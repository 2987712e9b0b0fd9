'use client'

import { type ReactNode, useState } from 'react'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import * as t from '#components/texts/bulk/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'

type BulkDialogProps = {
  title: string
  description: string
  /** The button that acts: "Cancel 3 executions". */
  label: string
  busyLabel: InProgress
  /** The button that closes the dialog without acting. */
  keepLabel: string
  /** Why closing has to wait. */
  lockedWhile: string
  reasonHint: string
  acknowledgement: string
  /** Why the acknowledgement is needed. */
  missingAcknowledgement: string
  /** Why nothing can be sent. */
  whyNot: string | undefined
  /** Whether the items are on the page: before that, they can’t have been read. */
  areShown: boolean
  state: 'open' | 'sending' | 'done'
  /** How it ended. */
  outcome: string
  onSend: (reason: string) => void
  onClose: () => void
  /** The items, each with its result. */
  children: ReactNode
}

/** Several ordinary acts with one reason: each item is listed, and each gets a result of its own. */
export function BulkDialog(props: BulkDialogProps) {
  const { title, description, label, busyLabel, keepLabel, whyNot, areShown, state, onSend, onClose, children } = props
  const [reason, setReason] = useState('')
  const [acknowledged, setAcknowledged] = useState(false)
  const missing = whyNot ?? whyNotReason(reason) ?? (acknowledged ? undefined : props.missingAcknowledgement)
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        // What was sent has an outcome, which the person has to see.
        if (!open && state !== 'sending') onClose()
      }}
      title={title}
      description={description}
      actions={
        state === 'done' ? (
          <Button variant="primary" onClick={onClose}>
            {t.close}
          </Button>
        ) : (
          <>
            <Button onClick={onClose} disabledReason={state === 'sending' ? props.lockedWhile : undefined}>
              {keepLabel}
            </Button>
            <Button
              variant="primary"
              onClick={() => onSend(reason.trim())}
              disabledReason={state === 'open' ? missing : undefined}
              busyLabel={state === 'sending' ? busyLabel : undefined}
            >
              {label}
            </Button>
          </>
        )
      }
    >
      {children}
      {state === 'done' ? (
        <p role="status">{props.outcome}</p>
      ) : (
        <>
          <ReasonField value={reason} onChange={setReason} hint={props.reasonHint} locked={state === 'sending'} />
          <Checkbox
            label={props.acknowledgement}
            checked={acknowledged}
            onChange={setAcknowledged}
            locked={state === 'sending' || !areShown}
          />
        </>
      )}
    </Dialog>
  )
}
