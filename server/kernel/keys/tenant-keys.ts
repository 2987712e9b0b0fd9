import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Vault } from '#server/kernel/vault.ts'
import { decrypt, encrypt } from './aead.ts'
import { findTenantKeys, insertTenantKey } from './store.ts'

/** A tenant's data key, unencrypted. */
type TenantKey = { version: number; key: Buffer }
/** Newest first. */
type TenantKeys = readonly [TenantKey, ...TenantKey[]]

/** Format byte of the layout: this byte, the tenant key's version (4 bytes, big-endian), nonce, tag, ciphertext. */
const format = 3
const headerBytes = 5
/** Format byte of a row's mac: this byte, the tenant key's version (4 bytes, big-endian), HMAC-SHA-256. */
const macFormat = 1
const macBytes = headerBytes + 32

/** The encryption context of a tenant's data key under the master key. */
export const tenantKeyContext = (tenantId: string, version: number): string => `tenant_keys/${tenantId}/${version}`

/**
 * Encrypts under the tenant's data key, which is created on first use and stored encrypted under the master key; the
 * result contains the key's version. `context` (table, row and column) is authenticated, not stored.
 */
export type TenantCipher = {
  /** A text is encrypted as its UTF-8. */
  encrypt(plaintext: Uint8Array | string, context: string): Buffer
  /** Throws if the bytes, the tenant, the context or the keys do not match. */
  decrypt(encrypted: Uint8Array, context: string): Buffer
  /** Encrypts JSON for a bytea column; `decryptJson` returns it. */
  encryptJson(value: JsonValue, context: string): Buffer
  /** Throws like `decrypt`. */
  decryptJson(encrypted: Uint8Array, context: string): JsonValue
  /** HMAC-SHA-256 under a key that only this installation has and that never changes: 32 bytes. */
  fingerprint(text: string): Buffer
  /**
   * Like `fingerprint`, but in hex and under a separate key: without the tenant's key even a short text can't be
   * guessed from it.
   */
  digest(text: string): string
  /**
   * Keys a row: only this installation can write `bytes` for `purpose` so that `checkMac` accepts them. The result names
   * the version of the tenant's key: 37 bytes. `purpose` is one line.
   */
  mac(purpose: string, bytes: Uint8Array | string): Buffer
  /** False for a missing mac too. Takes the same time for every wrong one. */
  checkMac(purpose: string, bytes: Uint8Array | string, mac: Uint8Array | null | undefined): boolean
  /** 32 bytes that never change, under a key of their own: the salt of a commitment, which only this installation knows. */
  salt(purpose: string, text: string): Buffer
}

// Ciphers by tenant, so that encrypting and decrypting costs no statement. Owned by this module; a process with the
// master key can read every data key anyway.
const kept = new WeakMap<Vault, Map<string, { cipher: TenantCipher; until: number }>>()
const keptMs = 60_000
const mostKept = 1000

/** Costs one statement per minute. `tx` is bound to the tenant. */
export async function tenantCipher(tx: Transaction, tenantId: string): Promise<TenantCipher> {
  const { vault } = runtime()
  const mine = kept.get(vault) ?? new Map<string, { cipher: TenantCipher; until: number }>()
  kept.set(vault, mine)
  const known = mine.get(tenantId)
  if (known !== undefined && known.until > Date.now()) return known.cipher
  const { keys, settled } = await tenantKeys(tx, vault, tenantId)
  const cipher = cipherOf(tenantId, keys)
  mine.delete(tenantId)
  // A rollback removes a key that this transaction created, so nothing else may be encrypted under it.
  if (settled) mine.set(tenantId, { cipher, until: Date.now() + keptMs })
  const [oldest] = mine.keys()
  if (mine.size > mostKept && oldest !== undefined) mine.delete(oldest)
  return cipher
}

/** Call it after giving the tenant a newer key; other processes load it within a minute. */
export function forgetTenantKeys(tenantId: string): void {
  kept.get(runtime().vault)?.delete(tenantId)
}

/** `encrypt` of the tenant's cipher. */
export const encryptForTenant = async (
  tx: Transaction,
  tenantId: string,
  plaintext: Uint8Array,
  context: string,
): Promise<Buffer> => (await tenantCipher(tx, tenantId)).encrypt(plaintext, context)

/** `decrypt` of the tenant's cipher. */
export const decryptForTenant = async (
  tx: Transaction,
  tenantId: string,
  encrypted: Uint8Array,
  context: string,
): Promise<Buffer> => (await tenantCipher(tx, tenantId)).decrypt(encrypted, context)

/** `digest` of the tenant's cipher. */
export const tenantDigest = async (tx: Transaction, tenantId: string, text: string): Promise<string> =>
  (await tenantCipher(tx, tenantId)).digest(text)

/** The cipher for a tenant's keys, newest first. */
export function cipherOf(tenantId: string, keys: TenantKeys): TenantCipher {
  const [{ version, key }] = keys
  const header = Buffer.alloc(headerBytes)
  header.writeUInt8(format, 0)
  header.writeUInt32BE(version, 1)
  const byVersion = new Map(keys.map((one) => [one.version, createSecretKey(one.key)]))
  const current = createSecretKey(key)
  // The oldest key, because a digest must not change when the tenant gets a newer one.
  const oldest = keys.at(-1) ?? keys[0]
  const derived = (purpose: string, from: TenantKey = oldest) => {
    // A key object: importing bytes would make each Hmac five times as expensive.
    const derivedKey = createSecretKey(Buffer.from(hkdfSync('sha256', from.key, '', purpose, 32)))
    return (...parts: (Uint8Array | string)[]) => {
      const hmac = createHmac('sha256', derivedKey)
      for (const part of parts) hmac.update(part)
      return hmac.digest()
    }
  }
  const digest = derived('countersign tenant digest')
  const salt = derived('countersign state salt')
  const rowKeys = new Map(keys.map((one) => [one.version, derived('countersign row key', one)]))
  const macUnder = (named: number, purpose: string, bytes: Uint8Array | string): Buffer | undefined => {
    if (purpose.includes('\n')) throw new RangeError('The purpose of a mac is one line.')
    const hmac = rowKeys.get(named)?.(`${purpose}\n`, bytes)
    if (hmac === undefined) return undefined
    const whole = Buffer.alloc(headerBytes)
    whole.writeUInt8(macFormat, 0)
    whole.writeUInt32BE(named, 1)
    return Buffer.concat([whole, hmac])
  }
  const encryptText = (plaintext: Uint8Array | string, context: string) =>
    encrypt(current, plaintext, additionalData(header, tenantId, context), header)
  const decryptBytes = (encrypted: Uint8Array, context: string) => decryptWith(byVersion, tenantId, encrypted, context)
  return {
    encrypt: encryptText,
    decrypt: decryptBytes,
    encryptJson: (value, context) => encryptText(JSON.stringify(value), context),
    decryptJson: (encrypted, context) => JSON.parse(decryptBytes(encrypted, context).toString()) as JsonValue,
    fingerprint: derived('countersign tenant fingerprint'),
    digest: (text) => digest(text).toString('hex'),
    mac(purpose, bytes) {
      const made = macUnder(version, purpose, bytes)
      if (made === undefined) throw new Error('unreachable: the current key is one of the keys')
      return made
    },
    checkMac(purpose, bytes, mac) {
      if (mac?.byteLength !== macBytes) return false
      const given = Buffer.from(mac)
      const right = macUnder(given.readUInt32BE(1), purpose, bytes)
      return right !== undefined && timingSafeEqual(right, given)
    },
    salt: (purpose, text) => salt(`${purpose}\n`, text),
  }
}

function decryptWith(
  keys: ReadonlyMap<number, KeyObject>,
  tenantId: string,
  encrypted: Uint8Array,
  context: string,
): Buffer {
  const bytes = Buffer.isBuffer(encrypted) ? encrypted : Buffer.from(encrypted)
  if (bytes[0] !== format || bytes.length < headerBytes)
    throw new Error(`The encrypted value for ${context} has an unknown format.`)
  const version = bytes.readUInt32BE(1)
  const known = keys.get(version)
  if (known === undefined) throw new Error(`The tenant ${tenantId} does not have a data key of version ${version}.`)
  const header = bytes.subarray(0, headerBytes)
  try {
    return decrypt(known, bytes.subarray(headerBytes), additionalData(header, tenantId, context))
  } catch (cause) {
    throw new Error(`The encrypted value for ${context} was changed.`, { cause })
  }
}

const additionalData = (header: Buffer, tenantId: string, context: string): Buffer =>
  Buffer.concat([header, Buffer.from(`${tenantId}\n${context}`)])

/** `settled`: committed before this transaction started. */
async function tenantKeys(
  tx: Transaction,
  vault: Vault,
  tenantId: string,
): Promise<{ keys: TenantKeys; settled: boolean }> {
  const read = async () => {
    const rows = await findTenantKeys(tx, tenantId)
    const [newest, ...older] = rows.map(({ version, sealedKey }) => ({
      version,
      key: vault.decrypt(sealedKey, tenantKeyContext(tenantId, version)),
    }))
    if (newest === undefined) return undefined
    return { keys: [newest, ...older] as const, settled: rows.every((row) => row.settled) }
  }
  const found = await read()
  if (found !== undefined) return found
  // Of two concurrent first uses one inserts, and both read the winner's key.
  const sealedKey = vault.encrypt(randomBytes(32), tenantKeyContext(tenantId, 1))
  await insertTenantKey(tx, { tenantId, version: 1, sealedKey })
  const made = await read()
  if (made === undefined) throw new Error(`The data key of the tenant ${tenantId} could not be created.`)
  return made
}
