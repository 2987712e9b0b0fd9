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

/** `cookieKeys`: the realm's, current one first. */
export function createGuard(
  realm: { tenantId: string; slug: string; url: string },
  cookieKeys: readonly Buffer[],
): Guard {
  const keys = cookieKeys.map((key) => createHmac('sha256', key).update('countersign strangers').digest())
  const [current] = keys
  if (current === undefined) throw new Error('The realm does not have a cookie key.')
  return {
    tenantId: realm.tenantId,
    accountOf: (kind, name) =>
      createHmac('sha256', current)
        .update(JSON.stringify([kind, name]))
        .digest('base64url')
        .slice(0, 22),
    browsers: createKnownBrowsers(realm, keys),
    places: createPlaces(realm.tenantId, current),
  }
}
