'use client'

import { useState } from 'react'
import { areNoticesOn, noticesKey } from '#components/approvals/notices.ts'
import * as t from '#components/texts/settings-notifications/en.ts'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { withStorage } from '#lib/browser-storage.ts'

/** Why they can't be turned on; undefined if they can. */
function whyNot(): string | undefined {
  if (typeof Notification === 'undefined') return t.thisBrowserCantShow
  return Notification.permission === 'denied' ? t.thisBrowserBlocksNotices : undefined
}

async function turn(on: boolean): Promise<void> {
  if (on && (await Notification.requestPermission()) !== 'granted') return
  withStorage(() => localStorage.setItem(noticesKey, on ? 'on' : 'off'))
}

/** Turns the notices of this browser on and off. The browser asks the person once. */
export function BrowserNotices() {
  const [on, setOn] = useState(areNoticesOn)
  const [why, setWhy] = useState(whyNot)
  const change = async (wanted: boolean) => {
    await turn(wanted)
    setOn(areNoticesOn())
    setWhy(whyNot())
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
