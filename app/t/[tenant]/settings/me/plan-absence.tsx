'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { TextArea, TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { limits } from '#lib/limits.ts'
import { periodOf } from './absence-period.ts'

/** Names an approver as the person's delegate for a period. */
export function PlanAbsence({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [delegate, setDelegate] = useState('')
  const [first, setFirst] = useState(() => new Date().toISOString().slice(0, 10))
  const [last, setLast] = useState('')
  const [reason, setReason] = useState('')
  const act = useAct({
    send: client.delegations.create.mutate,
    touches: ['delegations', 'approvals'],
    onDone: ({ delegation }) => {
      notice(`${delegation.delegate.displayName} is your delegate.`)
      onClose()
    },
  })
  const period = periodOf({ first, last }, Date.now())
  const problem = 'field' in period ? period : undefined
  const errorAt = (field: 'first' | 'last', text: string) =>
    text !== '' && problem?.field === field ? problem.message : undefined
  return (
    <ActDialog
      title="Name a delegate"
      description="During your absence, the delegate can decide the requests to your groups, including those that are already open, but never your own requests. You can still decide, too."
      label="Name the delegate"
      busyLabel="Naming the delegate…"
      done="named"
      missing={whyNot(delegate, reason) ?? problem?.message}
      act={act}
      onRun={() => {
        if ('field' in period) return
        act.run({ delegate: delegate.trim(), ...period, reason: reason.trim() })
      }}
      onClose={onClose}
    >
      <TextField
        label="Delegate"
        hint="The user name or e-mail address of another approver."
        value={delegate}
        onChange={(event) => setDelegate(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <div className="grid gap-4 narrow:grid-cols-2">
        <TextField
          label="First day (UTC)"
          type="date"
          value={first}
          onChange={(event) => setFirst(event.target.value)}
          error={errorAt('first', first)}
          readOnly={act.pending}
        />
        <TextField
          label="Last day (UTC)"
          type="date"
          value={last}
          onChange={(event) => setLast(event.target.value)}
          error={errorAt('last', last)}
          readOnly={act.pending}
        />
      </div>
      <TextArea
        label="Reason"
        hint="Stored in the audit record."
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        limit={limits.reason}
        readOnly={act.pending}
      />
    </ActDialog>
  )
}

function whyNot(delegate: string, reason: string): string | undefined {
  if (delegate.trim() === '') return 'Enter the delegate.'
  if (reason.trim() === '') return 'Enter a reason.'
  if (reason.length > limits.reason) return `A reason can have at most ${limits.reason} characters.`
}
