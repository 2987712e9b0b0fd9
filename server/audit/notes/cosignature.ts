import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto'
import { NoteError, parseNote } from './signed-note.ts'

// Cosignatures of witnesses (https://c2sp.org/tlog-cosignature), of the type that is made with Ed25519.

const cosignatureType = 0x04
const publicKeyBytes = 32
const timeBytes = 8
const signatureBytes = 64

/** A witness's key: its name and what its signatures are checked with. `keyId` is 8 hex digits. */
export type CosignerKey = { name: string; keyId: string; publicKey: KeyObject }

/** Reads `name+key id+base64(0x04 ‖ public key)`. Throws NoteError when it is malformed or another kind of key. */
export function parseCosignerKey(vkey: string): CosignerKey {
  const [name = '', keyId = '', ...encoded] = vkey.split('+')
  const bytes = Buffer.from(encoded.join('+'), 'base64')
  if (name === '' || bytes.length !== 1 + publicKeyBytes || bytes[0] !== cosignatureType)
    throw new NoteError(`The key of the witness "${name}" is not an Ed25519 cosignature key (type 4).`)
  if (cosignerKeyId(name, bytes.subarray(1)) !== keyId)
    throw new NoteError(`The key of the witness "${name}" does not match its key id.`)
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.subarray(1).toString('base64url') }
  return { name, keyId, publicKey: createPublicKey({ format: 'jwk', key: jwk }) }
}

/** The first four bytes of SHA-256(name ‖ "\n" ‖ 0x04 ‖ public key), as 8 hex digits. */
export const cosignerKeyId = (name: string, publicKey: Uint8Array): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(cosignatureType), publicKey]), 'hex').slice(0, 8)

/** What a witness signs: that it saw the checkpoint `text` consistent at `time`, in seconds since 1970. */
export const cosignedMessage = (text: string, time: number | bigint): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)

/**
 * Returns the line among `lines` (signature lines, each with its newline) with the cosignature of `key` for the checkpoint
 * `text`, without its newline. Ignores lines of other keys. Undefined if the line is missing or invalid.
 */
export function findCosignature(text: string, lines: string, key: CosignerKey): string | undefined {
  try {
    const { signatures } = parseNote(`${text}\n${lines}`)
    const at = signatures.findIndex(
      ({ name, keyId, signature }) =>
        name === key.name &&
        keyId === key.keyId &&
        signature.length === timeBytes + signatureBytes &&
        verify(null, cosignedMessage(text, signature.readBigUInt64BE(0)), key.publicKey, signature.subarray(timeBytes)),
    )
    return lines.split('\n')[at]
  } catch (error) {
    if (error instanceof NoteError) return undefined
    throw error
  }
}
