'use client'

import Link from 'next/link'
import { useId } from 'react'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/alarms/en.ts'
import { alarmsPath, auditRecordPath } from '#lib/paths.ts'
import type { Alarm } from '#lib/schemas/alarms.ts'
import { AlarmStrip } from './alarm-strip.tsx'
import { CloseAlarm } from './close-alarm.tsx'

/** The alarms that a page shows in full; the rest is behind a link. */
const shown = 3

/** Open alarms at the top of a page. */
export function OpenAlarmsOfPage({ alarms }: { alarms: readonly Alarm[] }) {
  const id = useId()
  const { tenant } = useSession()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={id}>{countText(alarms.length)}</h2>
        <Link href={alarmsPath(tenant)} prefetch={false} className="text-link inline-flex min-h-6 items-center">
          {t.allAlarms}
        </Link>
      </div>
      <OpenAlarmList alarms={alarms.slice(0, shown)} />
    </section>
  )
}

export function OpenAlarmList({ alarms }: { alarms: readonly Alarm[] }) {
  return (
    <div className="flex flex-col gap-2">
      {alarms.map((alarm) => (
        <OpenAlarm key={alarm.id} alarm={alarm} />
      ))}
    </div>
  )
}

/** An open alarm with its two ways out: its record, and closing it. */
function OpenAlarm({ alarm }: { alarm: Alarm }) {
  const { tenant } = useSession()
  return (
    <AlarmStrip alarm={alarm}>
      {alarm.inLog && (
        <Link
          href={auditRecordPath(tenant, alarm.id)}
          prefetch={false}
          className="inline-flex min-h-9 items-center border border-line-strong bg-surface px-3 py-1.5 hover:bg-selected"
        >
          {t.openItsRecord}
        </Link>
      )}
      <CloseAlarm alarm={alarm} />
    </AlarmStrip>
  )
}

/** `1 open alarm`; more than are loaded is `99+`. */
const countText = (count: number): string =>
  count === 1 ? t.oneOpenAlarm : t.openAlarms({ count, many: String(count > 99) })
