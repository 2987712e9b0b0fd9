'use client'

import { useState } from 'react'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { AlarmsFailed } from './alarms-failed.tsx'
import { useOpenAlarms } from './use-open-alarms.ts'

/** Loaded when there is something to show: an alarm is rare, and this is on pages that everyone opens first. */
const OpenAlarmsOfPage = loadedLater(() => import('./open-alarm-list.tsx').then((module) => module.OpenAlarmsOfPage))

/** Open alarms at the top of a page. Empty without any, and for people who may not read the audit log. */
export function OpenAlarms() {
  const { data, error, refetch } = useOpenAlarms()
  const [shown, setShown] = useState(false)
  const alarms = data?.items ?? []
  // Once there were some, a dialog may be open.
  if (!shown && alarms.length > 0) setShown(true)
  return (
    <>
      {error !== null && <AlarmsFailed error={error} retry={() => void refetch()} />}
      {shown && <OpenAlarmsOfPage alarms={alarms} />}
    </>
  )
}
