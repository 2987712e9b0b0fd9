'use client'

import { type ReactNode, useContext } from 'react'
import * as t from '#components/texts/shell/en.ts'
import { MenuButton } from '#components/ui/controls/menu-button.tsx'
import { useNow } from '#components/ui/text/now.ts'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { zoneName } from '#components/ui/text/time-format.ts'
import { createPreference } from './preference.ts'

export type ZoneChoice = 'utc' | 'local'

const choice = createPreference<ZoneChoice>({
  key: 'countersign-time-zone',
  fallback: 'utc',
  isValue: (text): text is ZoneChoice => text === 'utc' || text === 'local',
})

function deviceZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Every `Time` below shows the zone that the person chose: UTC, or that of the device. */
export function TimeZoneProvider({ children }: { children: ReactNode }) {
  const [zone] = choice.use()
  return <TimeZoneContext value={zone === 'utc' ? 'UTC' : deviceZone()}>{children}</TimeZoneContext>
}

const load = () => import('./time-zone-items.tsx').then((module) => module.TimeZoneItems)

/** The zone's short name, and the menu that changes it. */
export function TimeZoneMenu() {
  const [chosen, choose] = choice.use()
  const zone = useContext(TimeZoneContext)
  const now = useNow()
  const name = now === undefined ? 'UTC' : zoneName(zone, new Date(now))
  return (
    <MenuButton
      load={load}
      props={{ chosen, choose, deviceZone: now === undefined ? undefined : deviceZone() }}
      trigger={
        <button type="button" aria-label={t.timeZone({ name })} className="min-h-8 px-2 hover:bg-selected">
          {name}
        </button>
      }
    />
  )
}
