import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findKeys, insertKey } from './store.ts'

/** What a tenant's key is for: tokens of its realm, signed tree heads, evidence bundles. */
export type SigningPurpose = 'realm' | 'log' | 'evidence'
export type SigningKey = {
  id: string
  algorithm: 'ES256' | 'EdDSA'
  privateKey: KeyObject
  publicKey: KeyObject
  retired: boolean
}

const algorithmOf = { realm: 'ES256', log: 'EdDSA', evidence: 'EdDSA' } as const
/** What a private key is sealed for under the master key. */
export const signingKeyContext = (tenantId: string, purpose: string): string => `signing_keys/${tenantId}/${purpose}`

/** Makes the current key of `purpose`; the caller's transaction creates the tenant. Private keys lie encrypted under the master key. */
export async function createSigningKey(tx: Transaction, tenantId: string, purpose: SigningPurpose): Promise<void> {
  const { privateKey, publicKey } =
    purpose === 'realm' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  const sealed = runtime().vault.seal(
    privateKey.export({ type: 'pkcs8', format: 'der' }),
    signingKeyContext(tenantId, purpose),
  )
  await insertKey(tx, {
    tenantId,
    purpose,
    id: newId(),
    algorithm: algorithmOf[purpose],
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: sealed,
  })
}

/** Makes the secret that signs the realm's cookies: 32 random bytes, stored encrypted. */
export async function createCookieKey(tx: Transaction, tenantId: string): Promise<void> {
  const privateKey = runtime().vault.seal(randomBytes(32), signingKeyContext(tenantId, 'cookies'))
  await insertKey(tx, { tenantId, purpose: 'cookies', id: newId(), algorithm: 'HS256', publicKey: '', privateKey })
}

/** The realm's cookie secrets, current first. */
export async function cookieKeys(tx: Transaction, tenantId: string): Promise<Buffer[]> {
  const rows = await findKeys(tx, tenantId, 'cookies')
  return rows.map((row) => runtime().vault.open(row.privateKey, signingKeyContext(tenantId, 'cookies')))
}

/** Every key of `purpose`, the current one first, then retired ones by age. */
export async function signingKeys(tx: Transaction, tenantId: string, purpose: SigningPurpose): Promise<SigningKey[]> {
  const rows = await findKeys(tx, tenantId, purpose)
  return rows.map((row) => ({
    id: row.id,
    algorithm: algorithmOf[purpose],
    privateKey: createPrivateKey({
      key: runtime().vault.open(row.privateKey, signingKeyContext(tenantId, purpose)),
      format: 'der',
      type: 'pkcs8',
    }),
    publicKey: createPublicKey(row.publicKey),
    retired: row.retiredAt !== null,
  }))
}

/** The key that signs now. Throws when the tenant was made without one. */
export async function currentSigningKey(
  tx: Transaction,
  tenantId: string,
  purpose: SigningPurpose,
): Promise<SigningKey> {
  const [key] = await signingKeys(tx, tenantId, purpose)
  if (key === undefined || key.retired) throw new Error(`The tenant ${tenantId} has no current ${purpose} key.`)
  return key
}
