import { createHash } from 'node:crypto'
import { decrypt, encrypt } from './keys/aead.ts'
import type { MasterKeys } from './keys/master-key.ts'

/**
 * Encrypts values under the master key that must not be plain text in the database: signing keys and each tenant's
 * data keys, which encrypt everything else (keys/tenant-keys.ts). `context` (tenant and purpose) is authenticated, not
 * stored.
 */
export type Vault = {
  encrypt(plaintext: Uint8Array, context: string): Buffer
  /** Throws if the bytes, the context or the master key do not match. */
  decrypt(encrypted: Uint8Array, context: string): Buffer
  /** Whether `encrypted` names the current master key; a rotation re-encrypts all other values. */
  isCurrent(encrypted: Uint8Array): boolean
  /** The master keys themselves, for a process that this one starts. Never for a file, a setting or an argument. */
  keys: MasterKeys
}

/** Format byte of values from before ciphertexts named their key. */
const unnamed = 1
/** Format byte of values that contain the id of their key. */
const named = 2
const idBytes = 8
const headerBytes = 1 + idBytes

/** The id identifies a key without revealing anything about it. */
function withHeader(key: Uint8Array): { key: Uint8Array; header: Buffer } {
  const digest = createHash('sha256').update('countersign master key\n').update(key).digest()
  return { key, header: Buffer.concat([Buffer.of(named), digest.subarray(0, idBytes)]) }
}

/** AES-256-GCM: format byte, id of the master key, nonce, tag, ciphertext. The first key encrypts, all keys decrypt. */
export function createVault(...keys: MasterKeys): Vault {
  const [first, ...previous] = keys
  const current = withHeader(first)
  const all = [current, ...previous.map(withHeader)]
  return {
    keys,
    encrypt(plaintext, context) {
      const additional = Buffer.concat([current.header, Buffer.from(context)])
      return Buffer.concat([current.header, encrypt(current.key, plaintext, additional)])
    },
    decrypt(encrypted, context) {
      const bytes = Buffer.from(encrypted)
      const header = bytes.subarray(0, headerBytes)
      if (bytes[0] === unnamed) return decryptUnnamed(keys, bytes.subarray(1), context)
      if (bytes[0] !== named) throw new Error(`The encrypted value for ${context} has an unknown format.`)
      const known = all.find((candidate) => candidate.header.equals(header))
      if (known === undefined) throw undecrypted(context)
      try {
        return decrypt(known.key, bytes.subarray(headerBytes), Buffer.concat([header, Buffer.from(context)]))
      } catch (cause) {
        throw undecrypted(context, cause)
      }
    },
    isCurrent: (encrypted) => current.header.equals(Buffer.from(encrypted).subarray(0, headerBytes)),
  }
}

function decryptUnnamed(keys: MasterKeys, bytes: Buffer, context: string): Buffer {
  let cause: unknown
  for (const key of keys) {
    try {
      return decrypt(key, bytes, Buffer.from(context))
    } catch (error) {
      cause = error
    }
  }
  throw undecrypted(context, cause)
}

const undecrypted = (context: string, cause?: unknown): Error =>
  new Error(
    `The encrypted value for ${context} can't be decrypted: the master key is not the one that encrypted it, or the value was changed.`,
    { cause },
  )
