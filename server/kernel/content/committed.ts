import { hash } from 'node:crypto'
import { canonicalJson, JcsError } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'

// Encrypted content carries a commitment to its value, which remains when the value is removed (decision 0037). A value in a
// bytea column has one of these forms, by its first byte:
//   3  encrypted without a commitment: byte, version of the tenant's key (4 bytes), nonce, tag, ciphertext
//   4  encrypted with one: byte, version, commitment (32 bytes), nonce, tag, ciphertext of the salt (32 bytes) and the JSON
//   5  removed: byte, commitment
// SQL reads them with content_gone() and content_stub() (migration 0064).

export const encryptedFormat = 3
export const committedFormat = 4
export const removedFormat = 5

export const saltBytes = 32
export const commitmentBytes = 32
/** Format byte and version. */
const committedAt = 5

/** A value, and what proves that it is the one that was committed to. Null: it is older than commitments. */
export type Disclosed = { value: JsonValue; salt: string | null; commitment: string | null }

/**
 * The commitment to a value of which `text` is the JSON: SHA-256 over the JCS form of [salt, value], with the salt in base64url.
 * A value without a JCS form, such as a text with half a surrogate pair, is committed to as {"$json": text}.
 */
export function commitmentTo(salt: Uint8Array, value: JsonValue, text: string): Buffer {
  return hash('sha256', `["${Buffer.from(salt).toString('base64url')}",${canonical(value, text)}]`, 'buffer')
}

function canonical(value: JsonValue, text: string): string {
  // An object may have members that JSON leaves out, and a date is a text there.
  return canonicalOf(value) ?? canonicalOf(JSON.parse(text) as JsonValue) ?? canonicalJson({ $json: text })
}

function canonicalOf(value: JsonValue): string | undefined {
  try {
    return canonicalJson(value)
  } catch (error) {
    if (error instanceof JcsError) return undefined
    throw error
  }
}

/** A decrypted value as its commitment binds it, to be disclosed with the salt. */
export const committedForm = (value: JsonValue): JsonValue =>
  canonicalOf(value) === undefined ? { $json: JSON.stringify(value) } : value

/** The form of a stored value in a row of an archive, as content_commitment() returns it: null for none. */
export function commitmentState(stored: Buffer | null): JsonValue {
  if (stored === null) return null
  return commitmentOf(stored) ?? { ciphertext: hash('sha256', stored, 'hex') }
}

/** The stored bytes, or null for a value that was removed or never set. */
export const present = (stored: Buffer | null): Buffer | null => (stored?.[0] === removedFormat ? null : stored)

/** The commitment to a stored or removed value, in base64url. Null for a value older than commitments, and for none. */
export function commitmentOf(stored: Uint8Array | null): string | null {
  const from = stored?.[0] === committedFormat ? committedAt : stored?.[0] === removedFormat ? 1 : undefined
  if (stored === null || from === undefined) return null
  return Buffer.from(stored.subarray(from, from + commitmentBytes)).toString('base64url')
}

/** What remains of a value that is removed: its commitment. Null for a value older than commitments. */
export function stubOf(stored: Uint8Array | null): Buffer | null {
  const commitment = commitmentOf(stored)
  return commitment === null ? null : Buffer.concat([Buffer.of(removedFormat), Buffer.from(commitment, 'base64url')])
}
