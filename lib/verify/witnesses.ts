import { Broken, type Bytes, encode, fromBase64, hex, type Json, member, minuteOf } from './bytes.ts'
import type { Heads } from './freshness.ts'
import { keyIdOf, type Note } from './note.ts'
import { NotChecked } from './report.ts'

// Cosignatures (c2sp.org/tlog-cosignature) by witnesses: parties that sign a head of the log of closed days only if it continues the
// last one that they signed. The kind that is made with Ed25519.

const cosignatureType = 0x04
const [timeAt, signatureAt, cosignatureBytes] = [4, 12, 76]

/** `key` are the 32 bytes of Ed25519. */
export type WitnessKey = { name: string; id: string; key: Bytes }

/** Reads `name+key id+base64(0x04 ‖ public key)`. Broken for another kind of key. */
export function parseWitnessKey(vkey: string): WitnessKey {
  const [name = '', id = '', ...encoded] = vkey.split('+')
  const key = fromBase64(encoded.join('+'))
  if (name === '' || key.length !== 33 || key[0] !== cosignatureType)
    throw new Broken(`The key of the witness "${name}" is not an Ed25519 cosignature key (type 4).`)
  if (keyIdOf(name, key) !== id) throw new Broken(`The key of the witness "${name}" does not match its key id.`)
  return { name, id, key: key.slice(1) }
}

/** What a witness signs: that it saw the checkpoint `text` consistent at `time`, in seconds since 1970. */
export const cosignedText = (text: string, time: number | bigint): string => `cosignature/v1\ntime ${time}\n${text}`

/** When the witness signed the head, in milliseconds since 1970; undefined if it did not. Broken for a wrong signature. */
export async function cosignedAt(head: Note, { name, id, key }: WitnessKey): Promise<number | undefined> {
  const line = head.signatures.find((one) => one.name === name && hex(one.bytes.slice(0, timeAt)) === id)
  if (line === undefined) return undefined
  const { bytes } = line
  const wrong = () => new Broken(`The cosignature of the witness ${name} belongs to another head than this one.`)
  if (bytes.length !== cosignatureBytes) throw wrong()
  const time = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(timeAt)
  const publicKey = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
  const signed = encode(cosignedText(head.text, time))
  if (!(await crypto.subtle.verify('Ed25519', publicKey, bytes.slice(signatureAt), signed))) throw wrong()
  return Number(time) * 1000
}

/** Keys as a reader types them, separated by white space. NotChecked for a text that is not one. */
export function typedWitnessKeys(typed: string): WitnessKey[] {
  const keys = typed.split(/\s+/).filter((one) => one !== '')
  try {
    return keys.map(parseWitnessKey)
  } catch (error) {
    const reason = error instanceof Error ? ` ${error.message}` : ''
    throw new NotChecked(`A witness’s key has the form name+id+base64.${reason}`)
  }
}

/** The witnesses that a log-keys.json names. */
export function publishedWitnesses(list: Json): WitnessKey[] {
  const witnesses = member(list, 'witnesses')
  return (Array.isArray(witnesses) ? witnesses : []).map((one) => parseWitnessKey(String(member(one, 'vkey'))))
}

/**
 * Who of these witnesses signed the archive's newest head of closed days, and when. NotChecked if none did; Broken for a wrong
 * signature.
 */
export async function checkWitnesses({ seals }: Heads, witnesses: readonly WitnessKey[]): Promise<string> {
  if (seals === undefined)
    throw new NotChecked('The archive lacks a head of the log of closed days, which is what witnesses sign.')
  const { signed, missing } = await signersAmong(seals, witnesses)
  const absent = missing.length === 0 ? '' : ` No signature of ${missing.join(', ')} is in the archive.`
  if (signed.length === 0)
    throw new NotChecked(`The newest head of closed days is not signed by that witness.${absent}`)
  return `${signed.join(', ')} signed the newest head of the log of closed days, which has ${seals.size}.${absent}`
}

/** Those of the witnesses that signed the head, each with the time, and the others. */
export async function signersAmong(head: Note, witnesses: readonly WitnessKey[]) {
  const [signed, missing]: [string[], string[]] = [[], []]
  for (const witness of witnesses) {
    const at = await cosignedAt(head, witness)
    if (at === undefined) missing.push(witness.name)
    else signed.push(`${witness.name} (${minuteOf(at)})`)
  }
  return { signed, missing }
}
