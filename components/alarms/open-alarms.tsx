'use client'

import { lazy, Suspense } from 'react'
import { AlarmsFailed } from './alarms-failed.tsx'
import { useOpenAlarms } from './use-open-alarms.ts'

/** Loaded when there is something to show: an alarm is rare, and this is on pages that everyone opens first. */
const OpenAlarmsOfPage = lazy(() =>
  import('./open-alarm-list.tsx').then((module) => ({ default: module.OpenAlarmsOfPage })),
)

/** Open alarms at the top of a page. Empty without any, and for people who may not read the audit log. */
export function OpenAlarms() {
  const { data, error, refetch } = useOpenAlarms()
  if (error !== null) return <AlarmsFailed error={error} retry={() => void refetch()} />
  if (data === undefined || data.items.length === 0) return null
  return (
    <Suspense fallback={null}>
      <OpenAlarmsOfPage alarms={data.items} />
    </Suspense>
  )
}
