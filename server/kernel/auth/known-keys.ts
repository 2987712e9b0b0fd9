import { bindTenant } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { apiKeyDigest, isApiKey } from './api-key-format.ts'
import { findLiveKey, findTenantOfKey } from './api-key-store.ts'
import { knownCredentials } from './known-credentials.ts'
import { refusedKey } from './refused-key.ts'

// Owned by this module: digests of keys that were live when this process last read them.
const known = knownCredentials('api-keys', (digest) =>
  runtime().database.inDirectory(async (tx) => {
    const tenant = await findTenantOfKey(tx, digest)
    if (tenant === undefined) return false
    await bindTenant(tx, tenant.id)
    return (await findLiveKey(tx, tenant.id, digest)) !== undefined
  }),
)

/** Throws 401 unless `key` is a key that this process has seen, or finds when it is the caller's turn, and OverloadError. */
export async function recogniseKey(key: string): Promise<void> {
  if (!isApiKey(key)) throw refusedKey('the text does not have the form of an API key')
  if (!(await known.recognise(apiKeyDigest(key)))) throw refusedKey('the key is unknown or not live')
}

export const forgetKey = known.forget
