'use client'

import { useState } from 'react'
import * as t from '#components/texts/alarms/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { AlarmsFailed } from './alarms-failed.tsx'
import { useOpenAlarms } from './use-open-alarms.ts'
import { useTouched } from './use-touched.ts'

/** Loaded when there is something to show: an alarm is rare, and this is on pages that everyone opens first. */
const OpenAlarmsOfPage = loadedLater(() => import('./open-alarm-list.tsx').then((module) => module.OpenAlarmsOfPage), {
  // About as high as one of them.
  waiting: <div className="min-h-40" />,
})

/**
 * Open alarms at the top of a page. Empty without any, and for people who may not read the audit log. What comes when the person is
 * already at work is named at the bottom, and moves nothing until they ask for it.
 */
export function OpenAlarms() {
  const { data, error, refetch } = useOpenAlarms()
  const touched = useTouched()
  const [shown, setShown] = useState<ReadonlySet<string>>()
  const [failed, setFailed] = useState(false)
  const alarms = data?.items ?? []
  const late = alarms.some(({ id }) => !shown?.has(id))
  const lateError = error !== null && !failed
  const show = () => {
    if (late) setShown(new Set(alarms.map(({ id }) => id)))
    setFailed(error !== null)
  }
  if ((late || lateError) && !touched) show()
  // The next failure is another one.
  if (error === null && failed) setFailed(false)
  return (
    <>
      {error !== null && failed && <AlarmsFailed error={error} retry={() => void refetch()} />}
      {/* Once there were some, a dialog may be open. */}
      {shown !== undefined && <OpenAlarmsOfPage alarms={alarms.filter(({ id }) => shown.has(id))} />}
      <div role="status" className="pointer-events-none fixed inset-x-4 bottom-4 z-20 flex justify-center print:hidden">
        {(late || lateError) && touched && (
          <div className="pointer-events-auto flex max-w-120 items-center gap-3 border border-danger border-l-3 bg-danger-soft px-3 py-2">
            <span>{late ? t.alarmWasRaised : t.alarmsCantBeRead}</span>
            <Button
              onClick={() => {
                show()
                document.getElementById('main')?.focus({ preventScroll: true })
                window.scrollTo({ top: 0 })
              }}
            >
              {t.showAlarms}
            </Button>
          </div>
        )}
      </div>
    </>
  )
}
