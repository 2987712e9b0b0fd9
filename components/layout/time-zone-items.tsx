'use client'

import * as t from '#components/texts/menus/en.ts'
import { MenuChoice } from '#components/ui/controls/menu.tsx'
import type { ZoneChoice } from './time-zone.tsx'

type TimeZoneItemsProps = {
  chosen: ZoneChoice
  choose: (choice: ZoneChoice) => void
  /** Undefined until the page knows the device's time. */
  deviceZone: string | undefined
}

export function TimeZoneItems({ chosen, choose, deviceZone }: TimeZoneItemsProps) {
  return (
    <MenuChoice
      heading={t.showTimes}
      value={chosen}
      onChange={choose}
      options={[
        { value: 'utc', label: 'UTC' },
        { value: 'local', label: deviceZone === undefined ? t.thisDevice : t.thisDeviceZone({ zone: deviceZone }) },
      ]}
    />
  )
}
