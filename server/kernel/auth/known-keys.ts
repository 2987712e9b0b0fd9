import { LRUCache } from 'lru-cache'
import { bindTenant } from '#server/kernel/db/database.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { apiKeyDigest, isApiKey } from './api-key-format.ts'
import { findLiveKey, findTenantOfKey } from './api-key-store.ts'
import { refusedKey } from './refused-key.ts'

// Owned by this module: digests of keys that were live when this process last read them. They decide only whose turn it is:
// each request still reads its key.
const known = new LRUCache<string, true>({ max: 10_000 })

/**
 * Distinguishes keys from what strangers send as keys, before the request uses a connection that users need: a key that this
 * process has not seen is looked up once it is the caller's turn. Throws 401 and OverloadError.
 */
export async function recogniseKey(key: string): Promise<void> {
  if (!isApiKey(key)) throw refusedKey('the text does not have the form of an API key')
  const digest = apiKeyDigest(key)
  if (known.has(digest.toString('hex'))) return
  if (!(await lookUpForStranger('api-keys', () => isLive(digest)))) throw refusedKey('the key is unknown or not live')
  known.set(digest.toString('hex'), true)
}

const isLive = (digest: Buffer): Promise<boolean> =>
  runtime().database.inDirectory(async (tx) => {
    const tenant = await findTenantOfKey(tx, digest)
    if (tenant === undefined) return false
    await bindTenant(tx, tenant.id)
    return (await findLiveKey(tx, tenant.id, digest)) !== undefined
  })

/** After a key was refused, the next request with it waits like a stranger. */
export function forgetKey(digest: Buffer): void {
  known.delete(digest.toString('hex'))
}
