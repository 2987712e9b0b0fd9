'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { isJustification, justificationHint, justificationRule } from '#lib/rules/justification.ts'
import type { Alarm } from '#lib/schemas/alarms.ts'
import { alarmWords } from './alarm-words.ts'

/** Closes an alarm with a reason. The difference itself stays: if it is found again, a new alarm is raised. */
export function CloseAlarm({ alarm }: { alarm: Alarm }) {
  const { client } = useApi()
  return (
    <ReasonDialog
      label="Close with a reason"
      busyLabel="Closing the alarm…"
      keepLabel="Keep it open"
      title="Close this alarm?"
      consequence={`${alarmWords(alarm).title} Closing it changes nothing in the log. If the difference is found again, a new alarm is raised.`}
      permission="tenant:manage"
      over={alarm.status === 'closed'}
      reasonHint={`What was found, and why it can be closed. ${justificationHint} Stored in the audit record.`}
      whyNot={(reason) => (isJustification(reason) ? undefined : justificationRule)}
      act={(reason, options) => client.alarms.close.mutate({ id: alarm.id, reason }, options)}
      touches={['alarms', 'audit']}
      done="The alarm is closed."
      notDone="The alarm was not closed."
    />
  )
}
