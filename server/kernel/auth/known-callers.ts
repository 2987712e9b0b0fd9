import { LRUCache } from 'lru-cache'
import type { Found, Wanted } from './store.ts'

/**
 * Owned by this module: what the directory has said about callers, to prepare what they ask for while the database checks that it still
 * says the same (admit_known, migration 0117). It never admits anyone by itself.
 */
const known = new LRUCache<string, Found>({ max: 2_000 })

const keyOf = ({ externalId, id, issuer, subject, family }: Wanted): string =>
  JSON.stringify([externalId, id, issuer, subject, family?.tenantExternalId, family?.id])

export const knownCaller = (wanted: Wanted): Found | undefined => known.get(keyOf(wanted))

export function rememberCaller(wanted: Wanted, found: Found): void {
  known.set(keyOf(wanted), found)
}

/** The next call of this caller is read: one who is refused must not spend the tenant's budget again. */
export function forgetCaller(wanted: Wanted): void {
  known.delete(keyOf(wanted))
}
