'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/alarms/en.ts'
import { isJustification, justificationHint, justificationRule } from '#lib/rules/justification.ts'
import type { Alarm } from '#lib/schemas/alarms.ts'
import { alarmWords } from './alarm-words.ts'

/** Closes an alarm with a reason. The difference itself stays: if it is found again, a new alarm is raised. */
export function CloseAlarm({ alarm }: { alarm: Alarm }) {
  const { client } = useApi()
  return (
    <ReasonDialog
      label={t.closeWithReason}
      busyLabel={t.closingAlarm}
      keepLabel={t.keepItOpen}
      title={t.closeThisAlarm}
      consequence={t.closingItChangesNothing({ title: alarmWords(alarm).title })}
      permission="tenant:manage"
      over={alarm.status === 'closed'}
      reasonHint={t.whatWasFoundAnd({ justificationHint })}
      whyNot={(reason) => (isJustification(reason) ? undefined : justificationRule)}
      act={(reason, options) => client.alarms.close.mutate({ id: alarm.id, reason }, options)}
      touches={['alarms', 'audit']}
      done={t.alarmIsClosed}
      notDone={t.alarmWasNotClosed}
    />
  )
}
