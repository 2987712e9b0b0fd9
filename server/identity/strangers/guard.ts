import { createHmac } from 'node:crypto'
import { createKnownBrowsers, type KnownBrowsers } from './known-browser.ts'
import { createPlaces, type Places } from './places.ts'

/** How a realm tells strangers from callers that have proved themselves before. */
export type Guard = {
  tenantId: string
  /** A keyed digest of a name that a stranger chose: of fixed length, and useless outside of this realm. */
  accountOf(kind: 'person' | 'client', name: string): string
  browsers: KnownBrowsers
  places: Places
}

const mostKept = 1000
/** Characters. */
const longestKept = 200

/** `cookieKeys`: the realm's, current one first. */
export function createGuard(
  realm: { tenantId: string; slug: string; url: string },
  cookieKeys: readonly Buffer[],
): Guard {
  const keys = cookieKeys.map((key) => createHmac('sha256', key).update('countersign strangers').digest())
  const [current] = keys
  if (current === undefined) throw new Error('The realm does not have a cookie key.')
  /** A request needs its account several times. Of names that strangers chose, so of few. */
  const accounts = new Map<string, string>()
  const accountOf: Guard['accountOf'] = (kind, name) => {
    const text = JSON.stringify([kind, name])
    const known = accounts.get(text)
    if (known !== undefined) return known
    const account = createHmac('sha256', current).update(text).digest('base64url').slice(0, 22)
    if (text.length > longestKept) return account
    if (accounts.size >= mostKept) accounts.clear()
    accounts.set(text, account)
    return account
  }
  return {
    tenantId: realm.tenantId,
    accountOf,
    browsers: createKnownBrowsers(realm, keys),
    places: createPlaces(realm.tenantId, current),
  }
}
