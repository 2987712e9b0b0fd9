import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { decrypt, encrypt } from './aead.ts'
import { findTenantKeys, insertTenantKey } from './store.ts'

/** A tenant's data key, in clear: 32 bytes. Never kept longer than a transaction. */
type TenantKey = { version: number; key: Buffer }

/** Names the layout: this byte, the tenant key's version (4 bytes, big-endian), nonce, tag, ciphertext. */
const format = 3
const headerBytes = 5

/** What a tenant's data key is sealed for under the master key. */
export const tenantKeyContext = (tenantId: string, version: number): string => `tenant_keys/${tenantId}/${version}`

/**
 * Encrypts `plaintext` under the tenant's data key, which is made on first use and lies sealed under the master key. The
 * result names the key's version. `tx` is bound to the tenant; `context` (table and row) is authenticated, not stored.
 */
export async function sealForTenant(
  tx: Transaction,
  tenantId: string,
  plaintext: Uint8Array,
  context: string,
): Promise<Buffer> {
  const { version, key } = (await tenantKeys(tx, tenantId))[0]
  const header = Buffer.alloc(headerBytes)
  header.writeUInt8(format, 0)
  header.writeUInt32BE(version, 1)
  return Buffer.concat([header, encrypt(key, plaintext, additionalData(header, tenantId, context))])
}

/** Throws when the bytes, the tenant, the context or the keys do not match. */
export async function openForTenant(
  tx: Transaction,
  tenantId: string,
  sealed: Uint8Array,
  context: string,
): Promise<Buffer> {
  return openWith(await tenantKeys(tx, tenantId), tenantId, sealed, context)
}

function openWith(keys: readonly TenantKey[], tenantId: string, sealed: Uint8Array, context: string): Buffer {
  const bytes = Buffer.from(sealed)
  if (bytes[0] !== format || bytes.length < headerBytes)
    throw new Error(`The sealed value for ${context} has an unknown format.`)
  const version = bytes.readUInt32BE(1)
  const known = keys.find((candidate) => candidate.version === version)
  if (known === undefined) throw new Error(`The tenant ${tenantId} has no data key of version ${version}.`)
  const header = bytes.subarray(0, headerBytes)
  try {
    return decrypt(known.key, bytes.subarray(headerBytes), additionalData(header, tenantId, context))
  } catch (cause) {
    throw new Error(`The sealed value for ${context} was changed.`, { cause })
  }
}

/** What many values of one transaction are sealed with: the keys are read once. Not to be kept any longer. */
export type TenantSealer = {
  seal(plaintext: Uint8Array, context: string): Buffer
  /** Throws when the bytes, the tenant, the context or the keys do not match. */
  open(sealed: Uint8Array, context: string): Buffer
  /** HMAC-SHA-256 under a key that only this installation has, the same for ever: 32 bytes. */
  fingerprint(text: string): Buffer
}

/** The same bytes as `sealForTenant` and `openForTenant`, for one transaction. */
export async function tenantSealer(tx: Transaction, tenantId: string): Promise<TenantSealer> {
  const keys = await tenantKeys(tx, tenantId)
  const { version, key } = keys[0]
  const header = Buffer.alloc(headerBytes)
  header.writeUInt8(format, 0)
  header.writeUInt32BE(version, 1)
  const oldest = keys.at(-1) ?? keys[0]
  const sealing = createSecretKey(key)
  const digestKey = createSecretKey(
    Buffer.from(hkdfSync('sha256', oldest.key, '', 'countersign tenant fingerprint', 32)),
  )
  return {
    seal: (plaintext, context) =>
      Buffer.concat([header, encrypt(sealing, plaintext, additionalData(header, tenantId, context))]),
    open: (sealed, context) => openWith(keys, tenantId, sealed, context),
    fingerprint: (text) => createHmac('sha256', digestKey).update(text).digest(),
  }
}

/** A digest (hex) of `text` that only this installation can make: without the tenant's key even a short text can't be guessed from it. */
export async function tenantDigest(tx: Transaction, tenantId: string, text: string): Promise<string> {
  // The oldest key: the digest must not change when the tenant gets a newer one.
  const oldest = (await tenantKeys(tx, tenantId)).at(-1)
  if (oldest === undefined) throw new Error('unreachable: a tenant has a key after it was asked for one')
  const key = Buffer.from(hkdfSync('sha256', oldest.key, '', 'countersign tenant digest', 32))
  return createHmac('sha256', key).update(text).digest('hex')
}

const additionalData = (header: Buffer, tenantId: string, context: string): Buffer =>
  Buffer.concat([header, Buffer.from(`${tenantId}\n${context}`)])

/** Newest first. */
async function tenantKeys(tx: Transaction, tenantId: string): Promise<[TenantKey, ...TenantKey[]]> {
  const { vault } = runtime()
  const read = async () =>
    (await findTenantKeys(tx, tenantId)).map(({ version, sealedKey }) => ({
      version,
      key: vault.open(sealedKey, tenantKeyContext(tenantId, version)),
    }))
  const [newest, ...older] = await read()
  if (newest !== undefined) return [newest, ...older]
  // Of two first uses at once one inserts, and both read the winner's.
  const sealedKey = vault.seal(randomBytes(32), tenantKeyContext(tenantId, 1))
  await insertTenantKey(tx, { tenantId, version: 1, sealedKey })
  const [made] = await read()
  if (made === undefined) throw new Error(`The tenant ${tenantId} got no data key.`)
  return [made]
}
