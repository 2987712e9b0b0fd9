import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { fewRandomBytes } from './random.ts'

const nonceBytes = 12
const tagBytes = 16

const noHeader = Buffer.alloc(0)

/**
 * AES-256-GCM with a random nonce: header, nonce, tag, ciphertext. A text is encrypted as UTF-8. `additional` is
 * authenticated but not part of the result. Pass a KeyObject for bulk encryption: for raw bytes, Node takes longer to
 * import the key than to encrypt.
 */
export function encrypt(
  key: Uint8Array | KeyObject,
  plaintext: Uint8Array | string,
  additional: Uint8Array,
  header: Buffer = noHeader,
): Buffer {
  const nonce = fewRandomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additional)
  const body = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext)
  // A stream cipher does not have a final block, so this is empty.
  const rest = cipher.final()
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body, rest])
}

/** Throws if the key, the bytes or `additional` do not match those of `encrypt`. */
export function decrypt(key: Uint8Array | KeyObject, encrypted: Uint8Array, additional: Uint8Array): Buffer {
  const nonce = encrypted.subarray(0, nonceBytes)
  const tag = encrypted.subarray(nonceBytes, nonceBytes + tagBytes)
  // The length is fixed, because a shortened tag would be easier to forge.
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(additional)
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(encrypted.subarray(nonceBytes + tagBytes)), decipher.final()])
}
