import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { fewRandomBytes } from '#server/kernel/keys/random.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { RecordedAttribute, RecordedEvent, StoredAttribute, StoredEvent } from '#server/traces/attributes.ts'

// A sensitive value is replaced by a salted commitment as in RFC 9901: base64url(SHA-256(JCS([salt, value]))). Salt and value
// are encrypted with the tenant's key. The hashed record contains the commitment, so that a masked span still verifies, and
// an erasure removes only salt and value.

/** The salt and value of one commitment. */
export type Disclosure = [salt: string, value: JsonValue]

/** Returns the commitment to a value: 43 characters of base64url. */
export const commitment = ([salt, value]: Disclosure): string => commit(salt, canonicalJson(value))

// For strings, which most values are, JSON.stringify writes the same text as JCS.
const canonical = (value: JsonValue): string =>
  typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)

const commit = (salt: string, value: string): string => hash('sha256', `["${salt}",${value}]`, 'base64url')

/** The context of a span's encrypted bytes: moved to another span, they can't be decrypted. */
export const spanContext = (traceId: string, spanId: string): string => `spans/${traceId}/${spanId}`

export type EncryptedSpan = { attributes: StoredAttribute[]; events: StoredEvent[]; sealed: Buffer | null }

/** Splits a span into attributes that may be shown and encrypted values. `sealed` is null if none are sensitive. */
export function encryptSpan(
  cipher: TenantCipher,
  { traceId, spanId }: { traceId: string; spanId: string },
  { attributes, events = [] }: { attributes: readonly RecordedAttribute[]; events?: readonly RecordedEvent[] },
): EncryptedSpan {
  const disclosures: string[] = []
  const store = ({ key, value, class: className, view }: RecordedAttribute): StoredAttribute => {
    if (className === undefined && view === undefined) return { key, value }
    const disclose = (text: string): string => {
      const salt = newSalt()
      disclosures.push(`["${salt}",${text}]`)
      return commit(salt, text)
    }
    // As JSON text, because the part that may be shown need not be canonical.
    const shown = view === undefined ? {} : { shown: disclose(canonical(JSON.stringify(view))) }
    if (className === undefined && isDeepStrictEqual(view, value)) return { key, ...shown }
    const text = canonical(value)
    const sd = disclose(text)
    if (className === undefined) return { key, ...shown, sd }
    return { key, masked: { class: className, length: typeof value === 'string' ? value.length : text.length }, sd }
  }
  const shown = {
    attributes: attributes.map(store),
    events: events.map((event) => ({ ...event, attributes: event.attributes.map(store) })),
  }
  if (disclosures.length === 0) return { ...shown, sealed: null }
  const plaintext = Buffer.from(`[${disclosures.join(',')}]`)
  return { ...shown, sealed: cipher.encrypt(plaintext, spanContext(traceId, spanId)) }
}

/** 128 random bits. */
const newSalt = (): string => fewRandomBytes(16).toString('base64url')

/** The context of a resource's encrypted bytes. */
export const resourceContext = (auditId: string, index: number): string => `batch_resources/${auditId}/${index}`

/** Returns the attributes with the parts that everyone who reads the trace may see. */
export const withShown = (
  attributes: readonly StoredAttribute[],
  disclosures: ReadonlyMap<string, Disclosure>,
): StoredAttribute[] =>
  attributes.map(({ shown, ...attribute }) => {
    const [, text] = (shown === undefined ? undefined : disclosures.get(shown)) ?? []
    return typeof text === 'string' ? { ...attribute, value: JSON.parse(text) as JsonValue } : attribute
  })

/** Decrypts the values of a span, by their commitments. */
export function decryptSpan(
  cipher: TenantCipher,
  { traceId, spanId, sealed }: { traceId: string; spanId: string; sealed: readonly Buffer[] | null },
): Map<string, Disclosure> {
  return opened(cipher, sealed ?? [], spanContext(traceId, spanId))
}

/** Decrypts the values of a resource. */
export const decryptResource = (
  cipher: TenantCipher,
  { auditId, index, sealed }: { auditId: string; index: number; sealed: Buffer | null },
): Map<string, Disclosure> => opened(cipher, sealed === null ? [] : [sealed], resourceContext(auditId, index))

const opened = (cipher: TenantCipher, sealed: readonly Buffer[], context: string): Map<string, Disclosure> =>
  new Map(
    sealed
      .flatMap((bytes) => JSON.parse(cipher.decrypt(bytes, context).toString()) as Disclosure[])
      .map((disclosure) => [commitment(disclosure), disclosure]),
  )
