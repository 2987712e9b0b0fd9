import { canonicalJson, JcsError } from '#lib/jcs.ts'
import type { HashedRecord } from '#server/audit/hashed-store.ts'
import type { StoredRecord } from '#server/audit/store.ts'
import { auditLeafHash, leafTextHashHex, leafTextOf, recordDigest, textDigestHex } from '#server/kernel/audit/record.ts'

/** The digest of the stored record under `nonce`; undefined when the server never writes rows of this form. */
export const digestOf = ({ record }: StoredRecord, nonce: Uint8Array): Buffer | undefined =>
  ifWritable(() => recordDigest(nonce, record))

function ifWritable<T>(written: () => T): T | undefined {
  try {
    return written()
  } catch (error) {
    if (error instanceof JcsError || error instanceof RangeError) return undefined
    throw error
  }
}

/** The fields of a leaf, as they are hashed and as an archive contains them. */
export const leafOf = (row: StoredRecord, tenantExternalId: string) => ({
  auditId: row.auditId,
  date: row.date,
  digest: `sha256:${row.digest.toString('hex')}`,
  seq: row.seq,
  tenant: tenantExternalId,
  type: row.type,
  v: 1,
})

/** The leaf hash as the row's own fields give it, with `digest`; undefined when they have a form that was never written. */
export function leafHashOf(row: StoredRecord, tenantExternalId: string, digest: Uint8Array): Buffer | undefined {
  const { auditId, date, seq, type } = row
  return ifWritable(() => auditLeafHash({ auditId, date, digest, seq, tenant: tenantExternalId, type }))
}

/** Whether the column created_at, a copy that no hash covers, equals the time in the record. */
export function hasRecordedTime({ record, createdAt }: Pick<StoredRecord, 'record' | 'createdAt'>): boolean {
  const at = typeof record === 'object' && record !== null && !Array.isArray(record) ? record.at : undefined
  return typeof at === 'string' && Date.parse(at) === new Date(createdAt).getTime()
}

/** Canonical JSON of a record and of its leaf. */
export type LoggedTexts = { recordText: string; leafText: string }

/** The stored record with its bytes in hex. */
export const inHex = ({ nonce, digest, leafHash, ...row }: StoredRecord): HashedRecord => ({
  ...row,
  nonce: nonce.toString('hex'),
  digest: digest.toString('hex'),
  leafHash: leafHash.toString('hex'),
})

/** Returns what was hashed for the row if its record, nonce, digest and leaf hash match, or why it differs from the logged record. */
export function loggedTexts(row: HashedRecord, tenantExternalId: string): LoggedTexts | { altered: string } {
  const recordText = ifWritable(() => canonicalJson(row.record))
  if (recordText === undefined || ifWritable(() => textDigestHex(row.nonce, recordText)) !== row.digest)
    return { altered: 'its record does not have the logged digest' }
  const { auditId, date, digest, seq, type } = row
  const leafText = ifWritable(() => leafTextOf({ auditId, date, digest, seq, tenant: tenantExternalId, type }))
  if (leafText === undefined || leafTextHashHex(leafText) !== row.leafHash)
    return { altered: 'its fields do not have the logged leaf hash' }
  if (!hasRecordedTime(row)) return { altered: 'its column created_at is not the time of the record' }
  return { recordText, leafText }
}
