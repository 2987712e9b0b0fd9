import * as t from '#components/texts/notices/en.ts'
import { withStorage } from '#lib/browser-storage.ts'

const key = 'countersign.notices'

/** Whether this browser shows notices of new requests. It is asked for on a page, and off until then. */
export const notices = {
  isOn(): boolean {
    return (
      typeof Notification !== 'undefined' &&
      Notification.permission === 'granted' &&
      withStorage(() => localStorage.getItem(key)) === 'on'
    )
  },
  /** Why they can't be turned on; undefined if they can. */
  whyNot(): string | undefined {
    if (typeof Notification === 'undefined') return t.thisBrowserCantShow
    return Notification.permission === 'denied' ? t.thisBrowserBlocksNotices : undefined
  },
  async set(on: boolean): Promise<void> {
    if (on && (await Notification.requestPermission()) !== 'granted') return
    withStorage(() => localStorage.setItem(key, on ? 'on' : 'off'))
  },
}
