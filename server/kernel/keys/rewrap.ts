import { bindTenant, type Database } from '#server/kernel/db/database.ts'
import type { Vault } from '#server/kernel/vault.ts'
import { signingKeyContext } from './signing-keys.ts'
import { listTenantIds, lockSigningKeys, lockTenantKeys, setSigningKey, setTenantKey } from './store.ts'
import { tenantKeyContext } from './tenant-keys.ts'

/** The number of encrypted keys, and how many of them were under another master key. */
export type Rewrapped = { keys: number; reencrypted: number }

/**
 * Re-encrypts every key that is under another master key, of all tenants in one transaction: all or none. Data that the
 * tenants' keys encrypt does not change. Throws if a key can't be decrypted.
 */
export function rewrapAll(database: Database, vault: Vault): Promise<Rewrapped> {
  const done: Rewrapped = { keys: 0, reencrypted: 0 }
  const reencrypt = async (encrypted: Buffer, context: string, store: (reencrypted: Buffer) => Promise<void>) => {
    done.keys += 1
    if (vault.isCurrent(encrypted)) return
    await store(vault.encrypt(vault.decrypt(encrypted, context), context))
    done.reencrypted += 1
  }
  return database.inDirectory(async (tx) => {
    for (const { id: tenantId } of await listTenantIds(tx)) {
      await bindTenant(tx, tenantId)
      for (const { version, sealedKey } of await lockTenantKeys(tx, tenantId))
        await reencrypt(sealedKey, tenantKeyContext(tenantId, version), (reencrypted) =>
          setTenantKey(tx, tenantId, version, reencrypted),
        )
      for (const { purpose, id, privateKey, logName } of await lockSigningKeys(tx, tenantId))
        await reencrypt(privateKey, signingKeyContext(tenantId, purpose, logName), (reencrypted) =>
          setSigningKey(tx, tenantId, { purpose, id, privateKey: reencrypted }),
        )
    }
    return done
  })
}
