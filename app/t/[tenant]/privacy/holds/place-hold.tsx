'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { DayFields } from '#components/forms/day-fields.tsx'
import { type Days, parseDays } from '#components/forms/days.ts'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import * as t from '#components/texts/privacy/en.ts'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'

type Scope = 'trace' | 'period'

/** Places a legal hold on one trace, or on all content of some days. */
export function PlaceHold({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [scope, setScope] = useState<Scope>()
  const [traceId, setTraceId] = useState('')
  const [days, setDays] = useState<Days>({ first: '', last: '' })
  const [reason, setReason] = useState('')
  const act = useAct({
    send: client.holds.create.mutate,
    touches: ['holds', 'audit'],
    onDone() {
      notice(t.holdIsInForce)
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.placeLegalHold}
      description={t.fromNowOnWhat}
      label={t.placeThe}
      busyLabel={t.placingHold}
      missing={whyNotScope() ?? whyNotReason(reason)}
      act={act}
      onRun={() =>
        act.run({
          ...(scope === 'trace' ? { traceId: traceId.trim() } : { from: days.first, to: days.last }),
          reason: reason.trim(),
        })
      }
      onClose={onClose}
    >
      <RadioCards<Scope>
        legend={t.whatItCovers}
        value={scope}
        onChange={setScope}
        locked={act.pending}
        options={[
          { value: 'trace', label: t.oneTrace, consequence: t.traceAndExecutionThat },
          { value: 'period', label: t.aPeriod, consequence: t.allContentThatBegan },
        ]}
      />
      {scope === 'trace' && (
        <TextField
          label={t.traceId}
          hint={t.traceIdHint}
          value={traceId}
          onChange={(event) => setTraceId(event.target.value)}
          autoComplete="off"
          readOnly={act.pending}
        />
      )}
      {scope === 'period' && <DayFields days={days} onChange={setDays} locked={act.pending} />}
      <ReasonField value={reason} onChange={setReason} hint={t.requiredStoredPermanentlyIn} locked={act.pending} />
    </ActDialog>
  )

  function whyNotScope(): string | undefined {
    if (scope === undefined) return t.chooseWhatHoldCovers
    if (scope === 'trace') return /^[0-9a-f]{32}$/.test(traceId.trim()) ? undefined : t.enterIdOfTrace
    const parsed = parseDays(days, () => undefined)
    return 'field' in parsed ? parsed.message : undefined
  }
}
