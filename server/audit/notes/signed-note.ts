import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'

// Signed notes (https://c2sp.org/signed-note) with Ed25519 keys only, and the checkpoints that are written as such notes.

const ed25519 = 0x01
const publicKeyBytes = 32
const keyIdBytes = 4
const rootBytes = 32
const signaturePrefix = '— '
/** Bounds the work that a hostile note can cause. */
const maxSignatures = 100

/** A note or a verifier key that does not have the form of the specification. */
export class NoteError extends Error {
  override readonly name = 'NoteError'
}

export type NoteSigner = { name: string; privateKey: KeyObject }
/** `keyId` is 8 hex digits. `signature` is what follows the key id: 64 bytes for Ed25519, other lengths for other types. */
export type NoteSignature = { name: string; keyId: string; signature: Buffer }
/** `text` ends with a newline and is what the signatures are over. */
export type SignedNote = { text: string; signatures: NoteSignature[] }
/** On success the text, and the names of the keys that signed it. */
export type NoteVerification = { ok: true; text: string; signedBy: string[] } | { ok: false; reason: string }

/** Key id: the first four bytes of SHA-256(name ‖ "\n" ‖ 0x01 ‖ public key), as 8 hex digits. It covers the name. */
export function keyId(name: string, publicKey: KeyObject): string {
  checkKeyName(name)
  const input = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ed25519), rawPublicKey(publicKey)])
  return hash('sha256', input, 'buffer').toString('hex', 0, keyIdBytes)
}

/** The verifier key ("vkey") to publish: `name+keyId+base64(0x01 ‖ public key)`. */
export function verifierKey(name: string, publicKey: KeyObject): string {
  const encoded = Buffer.concat([Buffer.of(ed25519), rawPublicKey(publicKey)]).toString('base64')
  return `${name}+${keyId(name, publicKey)}+${encoded}`
}

/** The whole note: `text` (which ends with a newline), an empty line, and one line for each signer. */
export function signNote(text: string, ...signers: [NoteSigner, ...NoteSigner[]]): string {
  checkText(text)
  const lines = signers.map(({ name, privateKey }) => {
    const id = Buffer.from(keyId(name, createPublicKey(privateKey)), 'hex')
    const signature = sign(null, Buffer.from(text), privateKey)
    return `${signaturePrefix}${name} ${Buffer.concat([id, signature]).toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

/** Takes a note apart without checking its signatures. Throws NoteError when it is malformed. */
export function parseNote(note: string): SignedNote {
  const split = note.lastIndexOf('\n\n')
  if (split < 0 || !note.endsWith('\n'))
    throw new NoteError('The note needs a text and signatures, separated by an empty line.')
  const text = note.slice(0, split + 1)
  checkText(text)
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > maxSignatures) throw new NoteError(`The note has more than ${maxSignatures} signatures.`)
  return { text, signatures: lines.map(parseSignature) }
}

/**
 * Checks a note against verifier keys. Signatures by unknown keys are ignored, as the specification demands;
 * one bad signature by a known key refuses the note, and so does the lack of any by a known key.
 * Throws NoteError for a malformed verifier key, which is the caller's own mistake.
 */
export function verifyNote(note: string, verifierKeys: readonly string[]): NoteVerification {
  const keys = verifierKeys.map(parseVerifierKey)
  let parsed: SignedNote
  try {
    parsed = parseNote(note)
  } catch (error) {
    if (error instanceof NoteError) return { ok: false, reason: error.message }
    throw error
  }
  const { text, signatures } = parsed
  const signedBy = new Set<string>()
  for (const { name, keyId, signature } of signatures) {
    const key = keys.find((known) => known.name === name && known.keyId === keyId)
    if (!key) continue
    if (!verify(null, Buffer.from(text), key.publicKey, signature)) {
      return { ok: false, reason: `The signature by ${name} is wrong.` }
    }
    signedBy.add(name)
  }
  if (signedBy.size === 0) return { ok: false, reason: 'The note is not signed by a known key.' }
  return { ok: true, text, signedBy: [...signedBy] }
}

function parseSignature(line: string): NoteSignature {
  const [name = '', encoded = '', ...more] = line.slice(signaturePrefix.length).split(' ')
  const bytes = decodeBase64(encoded)
  if (
    !line.startsWith(signaturePrefix) ||
    more.length > 0 ||
    !isKeyName(name) ||
    !bytes ||
    bytes.length <= keyIdBytes
  ) {
    throw new NoteError('The note has a malformed signature line.')
  }
  return { name, keyId: bytes.toString('hex', 0, keyIdBytes), signature: bytes.subarray(keyIdBytes) }
}

function parseVerifierKey(vkey: string): { name: string; keyId: string; publicKey: KeyObject } {
  // The encoded key may itself contain "+".
  const [name = '', id = '', ...encoded] = vkey.split('+')
  const bytes = decodeBase64(encoded.join('+'))
  if (!isKeyName(name) || !bytes) throw new NoteError('The verifier key is malformed.')
  if (bytes[0] !== ed25519 || bytes.length !== 1 + publicKeyBytes) {
    throw new NoteError(`The verifier key of ${name} is not an Ed25519 key.`)
  }
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.subarray(1).toString('base64url') }
  const publicKey = createPublicKey({ format: 'jwk', key: jwk })
  if (keyId(name, publicKey) !== id) throw new NoteError(`The verifier key of ${name} does not match its key id.`)
  return { name, keyId: id, publicKey }
}

function rawPublicKey(publicKey: KeyObject): Buffer {
  if (publicKey.type !== 'public' || publicKey.asymmetricKeyType !== 'ed25519') {
    throw new TypeError('Notes must be verified with an Ed25519 public key.')
  }
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
}

function checkText(text: string): void {
  if (!text.endsWith('\n')) throw new NoteError('The text of a note must end with a newline.')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the specification excludes exactly these.
  if (!text.isWellFormed() || /[\x00-\x09\x0b-\x1f\x7f]/.test(text)) {
    throw new NoteError('The text of a note contains control characters or is not valid Unicode.')
  }
}

function checkKeyName(name: string): void {
  if (!isKeyName(name))
    throw new NoteError('A key name must not be empty or contain spaces, plus signs or control characters.')
}

const isKeyName = (name: string): boolean => name.isWellFormed() && /^[^\s+\p{Cc}]+$/u.test(name)

/** Standard base64 with padding, and only its canonical spelling: Buffer.from alone ignores what it doesn't know. */
function decodeBase64(encoded: string): Buffer | undefined {
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length > 0 && bytes.toString('base64') === encoded ? bytes : undefined
}

/** A log's signed statement (https://c2sp.org/tlog-checkpoint): `size` leaves, 32 bytes of `root`. */
export type Checkpoint = { origin: string; size: number; root: Uint8Array }

/** The text of a checkpoint without extension lines, to be signed with `signNote`. Throws NoteError for malformed fields. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  if (origin === '' || origin.includes('\n')) throw new NoteError('The origin of a checkpoint must be a single line.')
  if (!Number.isSafeInteger(size) || size < 0)
    throw new NoteError('The size of a checkpoint must be a whole number, 0 or more.')
  if (root.byteLength !== rootBytes) throw new NoteError(`The root of a checkpoint must be ${rootBytes} bytes.`)
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`
  checkText(text)
  return text
}

/** Reads the text of a checkpoint; extension lines are passed over. Throws NoteError when it is malformed. */
export function parseCheckpoint(text: string): Checkpoint {
  checkText(text)
  const [origin = '', size = '', root = '', ...extensions] = text.slice(0, -1).split('\n')
  const bytes = decodeBase64(root)
  const wellFormed = origin !== '' && /^(0|[1-9]\d*)$/.test(size) && Number.isSafeInteger(Number(size))
  if (!wellFormed || bytes?.length !== rootBytes || extensions.includes(''))
    throw new NoteError('The checkpoint is malformed.')
  return { origin, size: Number(size), root: bytes }
}
