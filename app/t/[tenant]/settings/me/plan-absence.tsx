'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { DayFields } from '#components/forms/day-fields.tsx'
import type { Days } from '#components/forms/days.ts'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import * as t from '#components/texts/settings-me/en.ts'
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
    onDone: ({ delegation, decidesAnyway }) => {
      const delegate = delegation.delegate.displayName
      notice(decidesAnyway === true ? t.isYourDelegateWithout({ delegate }) : t.isYourDelegate({ delegate }))
      onClose()
    },
  })
  const period = periodOf(days, Date.now())
  const problem = 'field' in period ? period : undefined
  // An empty field is explained next to the button, not yet as a mistake.
  const shown = problem !== undefined && days[problem.field] !== '' ? problem : undefined
  return (
    <ActDialog
      title={t.nameA}
      description={t.duringYourAbsenceDelegate}
      label={t.nameThe}
      busyLabel={t.namingDelegate}
      missing={whyNot(delegate, reason) ?? problem?.message}
      act={act}
      onRun={() => {
        if ('field' in period) return
        act.run({ delegate: delegate.trim(), ...period, reason: reason.trim() })
      }}
      onClose={onClose}
    >
      <TextField
        label={t.delegate}
        hint={t.userNameOrE}
        value={delegate}
        onChange={(event) => setDelegate(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <DayFields days={days} onChange={setDays} problem={shown} locked={act.pending} />
      <ReasonField value={reason} onChange={setReason} hint={t.storedInAuditRecord} locked={act.pending} />
    </ActDialog>
  )
}

function whyNot(delegate: string, reason: string): string | undefined {
  if (delegate.trim() === '') return t.enterDelegate
  return whyNotReason(reason)
}
