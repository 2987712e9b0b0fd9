import type { Transaction } from '#server/kernel/db/database.ts'
import { recordKey } from '#server/kernel/keys/key-record.ts'
import { currentSigningKey, rotateSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { sealKeyFingerprint } from './archive/bag.ts'

/**
 * Creates a new key that seals the tenant's archives, signed by the one before it. Archives of the old key still verify, also one
 * that is being sealed. Returns the fingerprint of the new key.
 */
export async function rotateEvidenceKey(tx: Transaction, tenant: { id: string; externalId: string }): Promise<string> {
  await rotateSigningKey(tx, tenant.id, 'evidence')
  await recordKey(tx, tenant, 'evidence')
  const { publicKey } = await currentSigningKey(tx, tenant.id, 'evidence')
  return sealKeyFingerprint(publicKey.export({ type: 'spki', format: 'pem' }).toString())
}
