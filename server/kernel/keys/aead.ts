import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { fewRandomBytes } from './random.ts'

const nonceBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM with a random nonce: nonce, tag, ciphertext. `additional` is authenticated and not in the result. A KeyObject
 * is for whoever encrypts much: Node takes longer to look at raw bytes than to encrypt.
 */
export function encrypt(key: Uint8Array | KeyObject, plaintext: Uint8Array, additional: Uint8Array): Buffer {
  const nonce = fewRandomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additional)
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
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
