'use client'

import { useState } from 'react'
import { notices } from '#components/approvals/notices.ts'
import * as t from '#components/texts/settings-notifications/en.ts'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'

/** Turns the notices of this browser on and off. The browser asks the person once. */
export function BrowserNotices() {
  const [on, setOn] = useState(() => notices.isOn())
  const [why, setWhy] = useState(() => notices.whyNot())
  const change = async (wanted: boolean) => {
    await notices.set(wanted)
    setOn(notices.isOn())
    setWhy(notices.whyNot())
  }
  return (
    <Checkbox
      label={t.showNoticeWhenNew}
      checked={on}
      onChange={(wanted) => void change(wanted)}
      disabledReason={why}
    />
  )
}
