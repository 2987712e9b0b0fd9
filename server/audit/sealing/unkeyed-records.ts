import { canonicalJson, JcsError } from '#lib/jcs.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { mostWaitMs } from '#lib/verify/log.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { auditLeafHash, keyedBytes, recordMacPurpose, textDigest } from '#server/kernel/audit/record.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { LogRefused } from './log-refused.ts'
import type { SignerMemory } from './memory/signer-memory.ts'
import { findRepeatedId, type KeyedRecord, listKeyedRecords } from './signer-store.ts'

const rowsPerRead = 500

/**
 * Checks that a process of this installation wrote the records `from` to before `to` of a day, as they are, and each only
 * once. Records before `keyedFrom` don't have a mac. Throws LogRefused.
 */
export async function checkNewRecords(
  tx: Transaction,
  tenant: LogOwner,
  date: string,
  { from, to, keyedFrom }: { from: number; to: number; keyedFrom: SignerMemory['keyedFrom'] },
): Promise<void> {
  if (keyedFrom === null) return
  const start = keyedFrom.date === date ? Math.max(from, keyedFrom.seq) : from
  const cipher = await tenantCipher(tx, tenant.id)
  for (let at = start; at < to; at += rowsPerRead) {
    const rows = await listKeyedRecords(tx, tenant.id, date, at, Math.min(to, at + rowsPerRead))
    for (const row of rows) {
      const why = whyNotWritten(cipher, tenant, row)
      if (why !== undefined) throw new LogRefused(`Record ${row.seq} of ${date} ${why}.`)
    }
  }
  const repeated = start < to ? await findRepeatedId(tx, tenant.id, date, start, to) : undefined
  if (repeated !== undefined) throw new LogRefused(`The audit id ${repeated} occurs more than once in the log.`)
}

/** Returns why no process of this installation wrote the row as it is; undefined if one did. */
export async function whyNotOurs(tx: Transaction, tenant: LogOwner, row: KeyedRecord): Promise<string | undefined> {
  return whyNotWritten(await tenantCipher(tx, tenant.id), tenant, row)
}

function whyNotWritten(cipher: TenantCipher, tenant: LogOwner, row: KeyedRecord): string | undefined {
  const { auditId, date, seq, type, nonce, digest, leafHash, mac } = row
  const record = objectOf(row.record)
  const text = record === undefined ? undefined : textOf(record)
  if (record === undefined || text === undefined || nonce.length !== 32) return 'does not have the form of a record'
  if (!cipher.checkMac(recordMacPurpose, keyedBytes({ tenantId: tenant.id, auditId, nonce, text }), mac))
    return mac === null ? 'was not written by this service: its mac is missing' : 'does not have the mac of its content'
  if (record.auditId !== auditId || record.action !== type) return 'has the id or the type of another record'
  const right = textDigest(nonce, text)
  const leaf = auditLeafHash({ auditId, date, digest: right, seq, tenant: tenant.externalId, type })
  if (!digest.equals(right) || !leafHash.equals(leaf)) return 'does not have the digest or the leaf hash of its content'
  const moment = typeof record.at === 'string' ? Date.parse(record.at) : Number.NaN
  if (moment !== row.createdAt.getTime()) return 'does not have its own time in the column created_at'
  // A transaction may have waited for its place across midnight.
  const [ownDay, waitedDay] = [moment, moment + mostWaitMs].map((time) => new Date(time).toISOString().slice(0, 10))
  if (date !== ownDay && date !== waitedDay) return `was written on ${ownDay}`
}

const objectOf = (value: JsonValue): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined

function textOf(record: JsonObject): string | undefined {
  try {
    return canonicalJson(record)
  } catch (error) {
    if (error instanceof JcsError) return undefined
    throw error
  }
}
