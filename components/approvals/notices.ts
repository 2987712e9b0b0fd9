import * as t from '#components/texts/notices/en.ts'

const key = 'countersign.notices'

/** Whether this browser shows notices of new requests. It is asked for on a page, and off until then. */
export const notices = {
  isOn(): boolean {
    return typeof Notification !== 'undefined' && Notification.permission === 'granted' && stored() === 'on'
  },
  /** Why they can't be turned on; undefined if they can. */
  whyNot(): string | undefined {
    if (typeof Notification === 'undefined') return t.thisBrowserCantShow
    return Notification.permission === 'denied' ? t.thisBrowserBlocksNotices : undefined
  },
  async set(on: boolean): Promise<void> {
    if (on && (await Notification.requestPermission()) !== 'granted') return
    store(on ? 'on' : 'off')
  },
}

// Storage can be blocked, which is the same as off.
function stored(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function store(value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Off until it can be stored.
  }
}
