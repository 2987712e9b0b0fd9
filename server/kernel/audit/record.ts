import { hash } from 'node:crypto'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'

const recordDomain = Buffer.from('agcp.audit.record.v1\n')
const leafPrefix = '\0'
const nonceBytes = 32
const digestBytes = 32

/**
 * The content that one leaf of a day's tree commits to. `date` is YYYY-MM-DD (UTC), `seq` the leaf's index in that day.
 */
export type AuditLeaf = {
  auditId: string
  date: string
  /** `recordDigest` of the record: 32 bytes. */
  digest: Uint8Array
  seq: number
  tenant: string
  type: string
}

export type AuditLeafInHex = Omit<AuditLeaf, 'digest'> & { digest: string }

/**
 * SHA-256("agcp.audit.record.v1\n" ‖ nonce ‖ JCS(record)): 32 bytes.
 * The nonce (32 random bytes, one per record) prevents guessing a short record from its digest.
 * Throws RangeError for another nonce length, JcsError for values that JCS can't represent.
 */
export function recordDigest(nonce: Uint8Array, record: JsonValue): Buffer {
  return textDigest(nonce, canonicalJson(record))
}

/** `recordDigest` of a record whose canonical JSON is `text`. Throws RangeError for another nonce length. */
export const textDigest = (nonce: Uint8Array, text: string): Buffer =>
  Buffer.from(hash('sha256', digestInput(nonce, text), 'binary'), 'binary')

/** The same in hex, of a nonce in hex: a text costs a third of a Buffer for each hash. */
export const textDigestHex = (nonce: string, text: string): string => hash('sha256', digestInput(nonce, text), 'hex')

/** Up to this many UTF-16 units, a record needs no buffer of its own. */
const shortText = 16 * 1024
const nonceAt = recordDomain.length
const textAt = nonceAt + nonceBytes
/** Shared by the digests of all short records, which is safe because nothing awaits between writing and hashing. */
const shortInput = Buffer.alloc(textAt + 3 * shortText)
shortInput.set(recordDomain)

/** What a digest is over. `nonce`: bytes, or their hex. */
function digestInput(nonce: Uint8Array | string, text: string): Buffer {
  const bytes = typeof nonce === 'string' ? nonce.length / 2 : nonce.byteLength
  if (bytes !== nonceBytes) throw new RangeError(`A nonce must have ${nonceBytes} bytes, not ${bytes}.`)
  const input = text.length > shortText ? Buffer.alloc(textAt + Buffer.byteLength(text)) : shortInput
  if (input !== shortInput) input.set(recordDomain)
  if (typeof nonce === 'string') input.write(nonce, nonceAt, 'hex')
  else input.set(nonce, nonceAt)
  return input.subarray(0, textAt + input.write(text, textAt))
}

/** The bytes of the leaf that are hashed: its canonical JSON in UTF-8. Throws RangeError for a malformed field. */
export const auditLeaf = (leaf: AuditLeaf): Buffer => Buffer.from(auditLeafText(leaf))

/** The canonical JSON of the leaf. Throws RangeError for a malformed field. */
export const auditLeafText = ({ digest, ...leaf }: AuditLeaf): string =>
  leafTextOf({ ...leaf, digest: Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('hex') })

/** The same with the digest in hex. */
export function leafTextOf({ auditId, date, digest, seq, tenant, type }: AuditLeafInHex): string {
  if (digest.length !== 2 * digestBytes)
    throw new RangeError(`A digest must have ${digestBytes} bytes, not ${digest.length / 2}.`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new RangeError('The date of a leaf must have the form YYYY-MM-DD.')
  if (!Number.isSafeInteger(seq) || seq < 0) throw new RangeError('The seq of a leaf must be a whole number from 0.')
  // Put together as `leafTail` is, because an export makes a million of them.
  return `{"auditId":${canonicalJson(auditId)},"date":"${date}","digest":"sha256:${digest}","seq":${seq}${leafTail({ tenant, type })}`
}

/**
 * RFC 6962 leaf hash SHA-256(0x00 ‖ leaf): 32 bytes, a leaf of the day's tree.
 * The prefix is repeated from server/audit/tree/merkle.ts because the kernel imports no domain; a test keeps the two
 * equal.
 */
export const auditLeafHash = (leaf: AuditLeaf): Buffer => leafTextHash(auditLeafText(leaf))

/** `auditLeafHash` of a leaf whose canonical JSON is `text`. */
export const leafTextHash = (text: string): Buffer => Buffer.from(leafTextHashHex(text), 'hex')

/** The same in hex. */
export const leafTextHashHex = (text: string): string => hash('sha256', `${leafPrefix}${text}`, 'hex')

/** What the mac of a stored record covers (`TenantCipher.mac`): `text` is the record's canonical JSON. */
export const recordMacPurpose = 'audit.record'
export const keyedBytes = (row: { tenantId: string; auditId: string; nonce: Uint8Array; text: string }): string =>
  `${row.tenantId}\n${row.auditId}\n${Buffer.from(row.nonce).toString('hex')}\n${row.text}`

/** The part after the position in a leaf's canonical JSON. */
export const leafTail = ({ tenant, type }: Pick<AuditLeaf, 'tenant' | 'type'>): string =>
  `,"tenant":${canonicalJson(tenant)},"type":${canonicalJson(type)},"v":1}`
