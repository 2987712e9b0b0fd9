import { JcsError } from '#lib/jcs.ts'
import type { StoredRecord } from '#server/audit/store.ts'
import { auditLeafHash, recordDigest } from '#server/kernel/audit/record.ts'

/** The digest of the stored record under `nonce`; undefined when the server never writes rows of this form. */
export const digestOf = ({ record }: StoredRecord, nonce: Uint8Array): Buffer | undefined =>
  ifWritable(() => recordDigest(nonce, record))

function ifWritable(hash: () => Buffer): Buffer | undefined {
  try {
    return hash()
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
export function hasRecordedTime({ record, createdAt }: StoredRecord): boolean {
  const at = typeof record === 'object' && record !== null && !Array.isArray(record) ? record.at : undefined
  return typeof at === 'string' && Date.parse(at) === new Date(createdAt).getTime()
}

/** Returns why the row differs from the logged record, or undefined if its record, nonce, digest and leaf hash match. */
export function whyAltered(row: StoredRecord, tenantExternalId: string): string | undefined {
  const digest = digestOf(row, row.nonce)
  if (!digest?.equals(row.digest)) return 'its record does not have the logged digest'
  if (!leafHashOf(row, tenantExternalId, digest)?.equals(row.leafHash))
    return 'its fields do not have the logged leaf hash'
  if (!hasRecordedTime(row)) return 'its column created_at is not the time of the record'
}
