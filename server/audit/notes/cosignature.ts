import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { Broken, concat } from '#lib/verify/bytes.ts'
import { keyIdOf } from '#lib/verify/note.ts'
import { cosignedText, parseWitnessKey } from '#lib/verify/witnesses.ts'
import { NoteError, parseNote } from './signed-note.ts'

// Cosignatures of witnesses (https://c2sp.org/tlog-cosignature), of the type that is made with Ed25519. lib/verify/witnesses.ts
// checks them in archives.

const cosignatureType = Uint8Array.of(0x04)
const timeBytes = 8
const signatureBytes = 64

/** A witness's key: its name and what its signatures are checked with. `keyId` is 8 hex digits, `vkey` the text of it all. */
export type CosignerKey = { name: string; keyId: string; publicKey: KeyObject; vkey: string }

/** Reads `name+key id+base64(0x04 ‖ public key)`. Throws NoteError when it is malformed or another kind of key. */
export function parseCosignerKey(vkey: string): CosignerKey {
  try {
    const { name, id, key } = parseWitnessKey(vkey)
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') }
    return { name, keyId: id, publicKey: createPublicKey({ format: 'jwk', key: jwk }), vkey }
  } catch (error) {
    if (error instanceof Broken) throw new NoteError(error.message)
    throw error
  }
}

/** The first four bytes of SHA-256(name ‖ "\n" ‖ 0x04 ‖ public key), as 8 hex digits. */
export const cosignerKeyId = (name: string, publicKey: Uint8Array): string =>
  keyIdOf(name, concat(cosignatureType, publicKey))

/** What a witness signs: that it saw the checkpoint `text` consistent at `time`, in seconds since 1970. */
export const cosignedMessage = (text: string, time: number | bigint): Buffer => Buffer.from(cosignedText(text, time))

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
