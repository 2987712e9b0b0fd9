'use client'

import { type ReactNode, useId } from 'react'
import type { Act } from '#components/api/use-act.ts'
import * as t from '#components/texts/forms/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { ActFailed } from './act-failed.tsx'
import { useStanding } from './use-standing.ts'

type ActDialogProps = {
  title: string
  /** What happens, and whether it can be undone. */
  description: ReactNode
  /** The button that acts, with the same verb as the title. */
  label: string
  /** The button while it runs: "Revoking the key…". */
  busyLabel: InProgress
  /** The fields that are still missing, or why the action is unavailable. */
  missing?: string | undefined
  act: Pick<Act<never>, 'pending' | 'failure'>
  onRun: () => void
  onClose: () => void
  children?: ReactNode
}

/** A dialog for a change and its fields. Its owner closes it after the server has confirmed the change. */
export function ActDialog(props: ActDialogProps) {
  const { title, description, label, busyLabel, missing, act, onRun, onClose, children } = props
  const form = useId()
  const [failure, withdraw] = useStanding(act.failure)
  const close = () => {
    if (!act.pending) onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={title}
      description={description}
      actions={
        <>
          <Button onClick={close} className="self-start">
            {t.notNow}
          </Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            disabledReason={missing}
            busyLabel={act.pending ? busyLabel : undefined}
          >
            {label}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onInput={withdraw}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (missing === undefined && !act.pending) onRun()
        }}
      >
        {children}
      </form>
      {failure !== undefined && <ActFailed failure={failure} />}
    </Dialog>
  )
}
