import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { fewRandomBytes } from './random.ts'

const nonceBytes = 12
const tagBytes = 16

const noHeader = Buffer.alloc(0)

/**
 * AES-256-GCM with a random nonce: header, nonce, tag, ciphertext. A text is its UTF-8. `additional` is authenticated and not
 * in the result. A KeyObject is for whoever encrypts much: Node takes longer to look at raw bytes than to encrypt.
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
  // Of a stream cipher nothing is left for the end.
  const rest = cipher.final()
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body, rest])
}

/** Throws when the key, the bytes or `additional` are not those of `encrypt`. */
export function decrypt(key: Uint8Array | KeyObject, encrypted: Uint8Array, additional: Uint8Array): Buffer {
  const nonce = encrypted.subarray(0, nonceBytes)
  const tag = encrypted.subarray(nonceBytes, nonceBytes + tagBytes)
  // The length is fixed: a shortened tag would be easier to forge.
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(additional)
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(encrypted.subarray(nonceBytes + tagBytes)), decipher.final()])
}
