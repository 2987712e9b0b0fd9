import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { fewRandomBytes } from '#server/kernel/keys/random.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { RecordedAttribute, RecordedEvent, StoredAttribute, StoredEvent } from '#server/traces/attributes.ts'

// A sensitive value leaves a salted commitment behind, as RFC 9901 makes them: base64url(SHA-256(JCS([salt, value]))).
// Salt and value are encrypted with the tenant's key. The commitment goes into the hashed record, so that a masked span
// still verifies, and an erasure takes away salt and value alone.

/** What opens one commitment. */
export type Disclosure = [salt: string, value: JsonValue]

/** The commitment to a value: 43 characters of base64url. */
export const commitment = ([salt, value]: Disclosure): string => commit(salt, canonicalJson(value))

// What JCS writes for strings is what JSON.stringify writes, and most values are strings.
const canonical = (value: JsonValue): string =>
  typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)

const commit = (salt: string, value: string): string => hash('sha256', `["${salt}",${value}]`, 'base64url')

/** What the bytes of one span are encrypted for: encrypted bytes that are moved to another span do not open. */
export const spanContext = (traceId: string, spanId: string): string => `spans/${traceId}/${spanId}`

export type EncryptedSpan = { attributes: StoredAttribute[]; events: StoredEvent[]; sealed: Buffer | null }

/** Splits a span into what may be shown and what is encrypted. `sealed` is null when nothing is sensitive. */
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
    // As JSON text, since what may be shown need not be canonical.
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

/** What the encrypted bytes of a resource are encrypted for. */
export const resourceContext = (auditId: string, index: number): string => `batch_resources/${auditId}/${index}`

/** The attributes with what may be shown of them for everyone who reads the trace, in its place. */
export const withShown = (
  attributes: readonly StoredAttribute[],
  disclosures: ReadonlyMap<string, Disclosure>,
): StoredAttribute[] =>
  attributes.map(({ shown, ...attribute }) => {
    const [, text] = (shown === undefined ? undefined : disclosures.get(shown)) ?? []
    return typeof text === 'string' ? { ...attribute, value: JSON.parse(text) as JsonValue } : attribute
  })

/** The encrypted values of a span by their commitments. */
export function decryptSpan(
  cipher: TenantCipher,
  { traceId, spanId, sealed }: { traceId: string; spanId: string; sealed: readonly Buffer[] | null },
): Map<string, Disclosure> {
  return opened(cipher, sealed ?? [], spanContext(traceId, spanId))
}

/** Those of a resource. */
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
