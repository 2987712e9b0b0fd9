import { withStorage } from '#lib/browser-storage.ts'

const KEY = 'countersign-tab'

/** Names this tab, also after a reload. Undefined if the browser forbids storage. */
export function tabName(): string | undefined {
  return withStorage(() => {
    const known = sessionStorage.getItem(KEY)
    if (known !== null) return known
    const made = crypto.randomUUID()
    sessionStorage.setItem(KEY, made)
    return made
  })
}
