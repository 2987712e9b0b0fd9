import { Broken, type Bytes, fromBase64, hex, type Json, member, sameBytes, textMember } from './bytes.ts'
import type { LogKey } from './note.ts'
import { NotChecked } from './report.ts'

// Whose seal it is. Nothing in an archive can say that: what is compared here comes from elsewhere.

/** A key that the service publishes; `key` are the 32 bytes of Ed25519. */
export type PublishedKey = {
  purpose: 'evidence' | 'log'
  key: Bytes
  /** SHA-256 of its DER in hex. */
  fingerprint: string
  /** ISO 8601; null while it is in use. */
  validFrom: string
  validUntil: string | null
}

/** The keys in a service's log-keys.json (docs/log.md). Broken for another file, and for another tenant's. */
export function publishedKeys(file: Json, externalId: string): PublishedKey[] {
  const of = 'The list of published keys'
  if (member(file, 'type') !== 'countersign-log-keys-v1') throw new Broken(`${of} has an unknown form.`)
  if (member(file, 'tenant') !== externalId) throw new Broken(`${of} belongs to a different organisation.`)
  const keys = member(file, 'keys')
  if (!Array.isArray(keys)) throw new Broken(`${of} is malformed.`)
  return keys.map((key) => {
    const purpose = textMember(key, 'purpose', of)
    const until = member(key, 'validUntil')
    if (purpose !== 'evidence' && purpose !== 'log') throw new Broken(`${of} has a key for an unknown purpose.`)
    return {
      purpose,
      key: fromBase64(textMember(key, 'publicKey', of)),
      fingerprint: textMember(key, 'fingerprint', of).replace(/^sha256:/, ''),
      validFrom: textMember(key, 'validFrom', of),
      validUntil: typeof until === 'string' ? until : null,
    }
  })
}

/** The archive's keys are the ones that the service publishes, at the time of the seal. */
export function checkPublished(
  published: readonly PublishedKey[],
  archive: { fingerprint: string; sealedAt: string; logKeys: readonly LogKey[] },
): string {
  const seal = published.find((key) => key.purpose === 'evidence' && key.fingerprint === archive.fingerprint)
  if (seal === undefined)
    throw new Broken(`The service does not publish the key that sealed this archive (${shortOf(archive.fingerprint)}).`)
  const at = Date.parse(archive.sealedAt)
  if (!(at >= Date.parse(seal.validFrom)) || (seal.validUntil !== null && at >= Date.parse(seal.validUntil)))
    throw new Broken('The key that sealed this archive was not in use at the time of the seal.')
  for (const { key, name } of archive.logKeys)
    if (!published.some((one) => one.purpose === 'log' && sameBytes(one.key, key)))
      throw new Broken(`The service does not publish the key that signed the log ${name}.`)
  return 'The service publishes the keys that sealed this archive and signed its log.'
}

/** The archive's key has the fingerprint that the reader got from elsewhere, in hex with or without "sha256:". */
export function checkFingerprint(expected: string, fingerprint: string): string {
  const given = expected
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '')
    .replaceAll(/[\s:]/g, '')
  if (!/^[0-9a-f]{64}$/.test(given)) throw new NotChecked('A fingerprint has 64 hexadecimal digits.')
  if (given !== fingerprint)
    throw new Broken(`This archive was sealed with another key: its fingerprint is ${fingerprint}.`)
  return 'The key that sealed this archive has the fingerprint that you compared it with.'
}

const shortOf = (fingerprint: string): string => `${fingerprint.slice(0, 16)}…`

/** SHA-256 of the DER of an Ed25519 key in hex. */
export const fingerprintOf = async (der: Bytes): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', der)))
