import { bindTenant, type Database } from '#server/kernel/db/database.ts'
import type { Vault } from '#server/kernel/vault.ts'
import { signingKeyContext } from './signing-keys.ts'
import { listTenantIds, lockSigningKeys, lockTenantKeys, setSigningKey, setTenantKey } from './store.ts'
import { tenantKeyContext } from './tenant-keys.ts'

/** How many encrypted keys there are, and how many of them were under another master key. */
export type Rewrapped = { keys: number; reencrypted: number }

/**
 * Encrypts every key that lies under another master key anew under the current one, all tenants in one transaction: either
 * all of them or none. What tenants' data keys encrypt stays as it is. Throws when one can't be opened.
 */
export function rewrapAll(database: Database, vault: Vault): Promise<Rewrapped> {
  const done: Rewrapped = { keys: 0, reencrypted: 0 }
  const reencrypt = async (encrypted: Buffer, context: string, store: (anew: Buffer) => Promise<void>) => {
    done.keys += 1
    if (vault.isCurrent(encrypted)) return
    await store(vault.encrypt(vault.decrypt(encrypted, context), context))
    done.reencrypted += 1
  }
  return database.inDirectory(async (tx) => {
    for (const { id: tenantId } of await listTenantIds(tx)) {
      await bindTenant(tx, tenantId)
      for (const { version, sealedKey } of await lockTenantKeys(tx, tenantId))
        await reencrypt(sealedKey, tenantKeyContext(tenantId, version), (anew) =>
          setTenantKey(tx, tenantId, version, anew),
        )
      for (const { purpose, id, privateKey } of await lockSigningKeys(tx, tenantId))
        await reencrypt(privateKey, signingKeyContext(tenantId, purpose), (anew) =>
          setSigningKey(tx, tenantId, { purpose, id, privateKey: anew }),
        )
    }
    return done
  })
}
