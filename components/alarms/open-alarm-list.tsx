'use client'

import Link from 'next/link'
import { useId, useState } from 'react'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/alarms/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { alarmsPath, auditRecordPath } from '#lib/paths.ts'
import type { Alarm } from '#lib/schemas/alarms.ts'
import { AlarmStrip } from './alarm-strip.tsx'
import { CloseAlarm } from './close-alarm.tsx'

/** The alarms that a page shows in full; the rest is behind a link. */
const shown = 3

/** Open alarms at the top of a page. Without any, only the dialog of one that is gone. */
export function OpenAlarmsOfPage({ alarms }: { alarms: readonly Alarm[] }) {
  const id = useId()
  const { tenant } = useSession()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2" hidden={alarms.length === 0}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={id}>{countText(alarms.length)}</h2>
        <Link href={alarmsPath(tenant)} prefetch={false} className="text-link inline-flex min-h-6 items-center">
          {t.allAlarms}
        </Link>
      </div>
      <OpenAlarmList alarms={alarms} most={shown} />
    </section>
  )
}

type OpenAlarmListProps = { alarms: readonly Alarm[]; most?: number }

/** Open alarms, each with its two ways out: its record, and closing it. */
export function OpenAlarmList({ alarms, most = alarms.length }: OpenAlarmListProps) {
  const { tenant, can } = useSession()
  // The dialog belongs to the list: an alarm leaves it when someone closes it, or when newer ones take its place.
  const [closing, setClosing] = useState<Alarm>()
  const [open, setOpen] = useState(false)
  return (
    <div className="flex flex-col gap-2">
      {alarms.slice(0, most).map((alarm) => (
        <AlarmStrip key={alarm.id} alarm={alarm}>
          {alarm.inLog && (
            <Link
              href={auditRecordPath(tenant, alarm.id)}
              prefetch={false}
              className="inline-flex min-h-9 items-center border border-line-strong bg-surface px-3 py-1.5 hover:bg-selected"
            >
              {t.openItsRecord}
            </Link>
          )}
          <Button
            onClick={() => {
              setClosing(alarm)
              setOpen(true)
            }}
            disabledReason={can('tenant:manage') ? undefined : whoCan('tenant:manage')}
          >
            {t.closeWithReason}
          </Button>
        </AlarmStrip>
      ))}
      {closing !== undefined && (
        <CloseAlarm
          key={closing.id}
          alarm={closing}
          over={alarms.every(({ id }) => id !== closing.id)}
          open={open}
          onOpenChange={setOpen}
        />
      )}
    </div>
  )
}

/** `1 open alarm`; more than are loaded is `99+`. */
const countText = (count: number): string =>
  count === 1 ? t.oneOpenAlarm : t.openAlarms({ count, many: String(count > 99) })
