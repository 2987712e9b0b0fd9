'use client'

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
      heading="Show times in"
      value={chosen}
      onChange={choose}
      options={[
        { value: 'utc', label: 'UTC' },
        { value: 'local', label: deviceZone === undefined ? 'This device' : `This device (${deviceZone})` },
      ]}
    />
  )
}
