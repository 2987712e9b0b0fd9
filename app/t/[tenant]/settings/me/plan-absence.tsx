'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { DayFields } from '#components/forms/day-fields.tsx'
import type { Days } from '#components/forms/days.ts'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { periodOf } from './absence-period.ts'

/** Names an approver as the person's delegate for a period. */
export function PlanAbsence({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [delegate, setDelegate] = useState('')
  const [days, setDays] = useState<Days>(() => ({ first: new Date().toISOString().slice(0, 10), last: '' }))
  const [reason, setReason] = useState('')
  const act = useAct({
    send: client.delegations.create.mutate,
    touches: ['delegations', 'approvals'],
    onDone: ({ delegation }) => {
      notice(`${delegation.delegate.displayName} is your delegate.`)
      onClose()
    },
  })
  const period = periodOf(days, Date.now())
  const problem = 'field' in period ? period : undefined
  // An empty field is explained next to the button, not yet as a mistake.
  const shown = problem !== undefined && days[problem.field] !== '' ? problem : undefined
  return (
    <ActDialog
      title="Name a delegate"
      description="During your absence, the delegate can decide the requests to your groups, including those that are already open, but never your own requests. You can still decide, too."
      label="Name the delegate"
      busyLabel="Naming the delegate…"
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
      <DayFields days={days} onChange={setDays} problem={shown} locked={act.pending} />
      <ReasonField value={reason} onChange={setReason} hint="Stored in the audit record." locked={act.pending} />
    </ActDialog>
  )
}

function whyNot(delegate: string, reason: string): string | undefined {
  if (delegate.trim() === '') return 'Enter the delegate.'
  return whyNotReason(reason)
}
