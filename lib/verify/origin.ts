import {
  Broken,
  type Bytes,
  canonical,
  concat,
  encode,
  fromBase64,
  hex,
  type Json,
  member,
  sameBytes,
  textMember,
} from './bytes.ts'
import { digitsOfWords } from './fingerprint/words.ts'
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
  /** The key before it, and that key's signature of `stated`. Null for the first key of its purpose. */
  predecessor: { fingerprint: string; signature: Bytes } | null
  stated: Bytes
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
    const [until, before] = [member(key, 'validUntil'), member(key, 'predecessor')]
    const named = ['algorithm', 'publicKey', 'purpose', 'tenant', 'validFrom']
    const stated = Object.fromEntries(named.map((name) => [name, textMember(key, name, of)]))
    if (stated.tenant !== externalId) throw new Broken(`${of} has a key of a different organisation.`)
    if (purpose !== 'evidence' && purpose !== 'log') throw new Broken(`${of} has a key for an unknown purpose.`)
    return {
      purpose,
      key: fromBase64(textMember(key, 'publicKey', of)),
      fingerprint: textMember(key, 'fingerprint', of).replace(/^sha256:/, ''),
      validFrom: textMember(key, 'validFrom', of),
      validUntil: typeof until === 'string' ? until : null,
      predecessor:
        before === null || before === undefined
          ? null
          : {
              fingerprint: textMember(before, 'fingerprint', of).replace(/^sha256:/, ''),
              signature: fromBase64(textMember(before, 'signature', of)),
            },
      stated: encode(`countersign.key.v1\n${canonical(stated)}`),
    }
  })
}

/**
 * Each key was signed by the one before it, back to one first key for each purpose: a reader who knows an older key can
 * follow its successors, and a key that was only inserted into the list is found.
 */
export async function checkSuccession(published: readonly PublishedKey[]): Promise<void> {
  for (const key of published) {
    const short = shortOf(key.fingerprint)
    if ((await fingerprintOf(concat(derOfEd25519, key.key))) !== key.fingerprint)
      throw new Broken(`The published key ${short} does not have that fingerprint.`)
    const own = published.filter(({ purpose }) => purpose === key.purpose)
    if (key.predecessor === null) {
      if (own.some((other) => other !== key && other.predecessor === null))
        throw new Broken(`The service publishes two first keys, of which one is ${short}.`)
      continue
    }
    const { fingerprint, signature } = key.predecessor
    const before = own.find((other) => other.fingerprint === fingerprint)
    if (before === undefined || before === key)
      throw new Broken(`The service does not publish the predecessor of its key ${short}.`)
    const publicKey = await crypto.subtle.importKey('raw', before.key, 'Ed25519', false, ['verify'])
    if (!(await crypto.subtle.verify('Ed25519', publicKey, signature, key.stated)))
      throw new Broken(`The predecessor of the published key ${short} did not sign it.`)
  }
}

/**
 * The key that the reader knows, by `typedFingerprint`, leads to the archive's key, each signed by the one before it. Undefined
 * when it doesn't. `published` passed `checkSuccession`.
 */
export function checkSuccessor(published: readonly PublishedKey[], known: string, own: string): string | undefined {
  const seals = published.filter(({ purpose }) => purpose === 'evidence')
  const seen = new Set<string>()
  let at: string | undefined = own
  while (at !== undefined && !seen.has(at)) {
    if (at.startsWith(known))
      return 'The key that you know was replaced, and its successors signed each other up to this one.'
    seen.add(at)
    const fingerprint: string = at
    at = seals.find((key) => key.fingerprint === fingerprint)?.predecessor?.fingerprint
  }
  return undefined
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

/** The archive's key has the fingerprint that the reader got from elsewhere, in hex with or without "sha256:", or in words. */
export function checkFingerprint(expected: string, fingerprint: string): string {
  const given = typedFingerprint(expected)
  if (!fingerprint.startsWith(given))
    throw new Broken(`This archive was sealed with another key: its fingerprint is ${fingerprint}.`)
  return 'The key that sealed this archive has the fingerprint that you compared it with.'
}

/** The hex digits that a fingerprint begins with: all 64, or the 33 that twelve words name. NotChecked for anything else. */
export function typedFingerprint(expected: string): string {
  const words = digitsOfWords(expected)
  if (words !== undefined) return words
  const given = expected
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '')
    .replaceAll(/[\s:]/g, '')
  if (!/^[0-9a-f]{64}$/.test(given))
    throw new NotChecked('A fingerprint has 64 hexadecimal digits, or twelve words of its list.')
  return given
}

const shortOf = (fingerprint: string): string => `${fingerprint.slice(0, 16)}…`

/** RFC 8410: SubjectPublicKeyInfo of Ed25519 up to the key. */
export const derOfEd25519 = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00)

/** SHA-256 of the DER of an Ed25519 key in hex. */
export const fingerprintOf = async (der: Bytes): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', der)))
