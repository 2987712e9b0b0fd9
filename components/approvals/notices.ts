import { withStorage } from '#lib/browser-storage.ts'

/** Where a browser keeps that its person wants notices: "on" or "off". */
export const noticesKey = 'countersign.notices'

/** Whether this browser shows notices of new requests. It is asked for on a page, and off until then. */
export const areNoticesOn = (): boolean =>
  typeof Notification !== 'undefined' &&
  Notification.permission === 'granted' &&
  withStorage(() => localStorage.getItem(noticesKey)) === 'on'
