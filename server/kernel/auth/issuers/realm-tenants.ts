import { findRealm } from '#server/kernel/auth/realm-store.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Milliseconds. */
const maxAge = 60_000
const maxRealms = 1000

// Owned by this module, in each process and each bundle: the external ids of tenants, by slug.
const known = new Map<string, { externalId: string; readAt: number }>()

/**
 * External id of the tenant with this slug. Unknown slugs are unlimited in number, so they are not cached. Any stranger's token can
 * name another one, so that is read once it is the caller's turn.
 */
export async function findRealmTenant(slug: string): Promise<string | undefined> {
  const entry = known.get(slug)
  if (entry !== undefined && Date.now() - entry.readAt < maxAge) return entry.externalId
  const find = () => runtime().database.inDirectory((tx) => findRealm(tx, slug))
  const realm = await (entry === undefined ? lookUpForStranger('realms', find) : find())
  known.delete(slug)
  if (realm === undefined) return undefined
  known.set(slug, { externalId: realm.externalId, readAt: Date.now() })
  for (const oldest of known.keys()) {
    if (known.size <= maxRealms) break
    known.delete(oldest)
  }
  return realm.externalId
}
