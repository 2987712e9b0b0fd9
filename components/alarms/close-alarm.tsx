'use client'

import { useApi } from '#components/api/api.tsx'
import { justificationHint, whyNotJustification } from '#components/forms/justification-rule.ts'
import { ReasonPrompt } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/alarms/en.ts'
import type { Alarm } from '#lib/schemas/alarms.ts'
import { alarmWords } from './alarm-words.ts'

type CloseAlarmProps = {
  alarm: Alarm
  /** It is no longer open. */
  over: boolean
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Closes an alarm with a reason. The difference itself stays: if it is found again, a new alarm is raised. */
export function CloseAlarm({ alarm, ...dialog }: CloseAlarmProps) {
  const { client } = useApi()
  return (
    <ReasonPrompt
      {...dialog}
      label={t.closeWithReason}
      busyLabel={t.closingAlarm}
      keepLabel={t.keepItOpen}
      title={t.closeThisAlarm}
      consequence={t.closingItChangesNothing({ title: alarmWords(alarm).title })}
      reasonHint={t.whatWasFoundAnd({ justificationHint: justificationHint() })}
      whyNot={whyNotJustification}
      act={(reason, options) => client.alarms.close.mutate({ id: alarm.id, reason }, options)}
      touches={['alarms', 'audit']}
      done={t.alarmIsClosed}
      notDone={t.alarmWasNotClosed}
    />
  )
}
