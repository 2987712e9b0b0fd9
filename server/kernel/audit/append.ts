import { randomBytes } from 'node:crypto'
import { canonicalJson, requireCanonical } from '#lib/jcs.ts'
import { definedOnly, type JsonObject, type JsonValue } from '#lib/json.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { beforeCommit } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { keyedBytes, leafTail, recordMacPurpose, textDigest } from './record.ts'
import { appendRecords, type UnplacedRecord } from './store.ts'

/** The content of a record about an operation, in addition to its name; undefined fields are left out. */
export type AuditDetails = { readonly [name: string]: JsonValue | undefined }

export type AuditAct = {
  auditId?: string
  actor: { type: 'person' | 'service_account' | 'api_key' | 'agent' | 'system'; id: string; name: string }
  action: string
  resource: { type: string; id: string }
  reason?: string
  details?: AuditDetails
  requestId?: string
}

/** The actor of everything that the product does by itself (expiry, recovery, sealing). */
export const systemActor = { type: 'system', id: 'countersign', name: 'Countersign' } as const

/** A record of an open transaction: everything but its time, which it gets with the COMMIT. */
type Drafted = { auditId: string; type: string; record: JsonObject; leafTail: string; nonce: Buffer }

// Owned by this module: the records that an open transaction is going to write.
const waiting = new WeakMap<Transaction, { tenantId: string; records: Drafted[] }>()

/** The state of an object after the operation, as its record commits to it; `digest` is null if it was deleted. */
export type RecordedState = { type: string; id: string; revision: number; form: number; digest: string | null }

/**
 * Adds the states of the objects that a transaction changed to its last record. Returns the record's id, or undefined if
 * the transaction does not have a record yet.
 */
export function addStates(tx: Transaction, states: readonly RecordedState[]): string | undefined {
  const drafted = waiting.get(tx)?.records.at(-1)
  if (drafted === undefined) return undefined
  drafted.record = { ...drafted.record, states: states.map((state) => ({ ...state })) }
  return drafted.auditId
}

/**
 * Appends one record to the tenant's log of today, in the caller's transaction: if the record can't be written, the
 * operation does not happen. It is written with the COMMIT, to hold the lock on the tenant's day only briefly. Returns
 * the record's id. Throws JcsError for details that can't be digested.
 */
export async function appendAudit(
  tx: Transaction,
  tenant: { id: string; externalId: string },
  act: AuditAct,
): Promise<string> {
  const auditId = act.auditId ?? newId()
  const { action, actor, resource, reason, details, requestId } = act
  const record = definedOnly({
    action,
    actor,
    auditId,
    resource,
    reason,
    details: details && definedOnly(details),
    requestId,
  })
  // Details that can't be digested are reported to the caller, not with the COMMIT.
  requireCanonical(record)
  const drafted: Drafted = {
    auditId,
    type: action,
    record,
    leafTail: leafTail({ tenant: tenant.externalId, type: action }),
    nonce: randomBytes(32),
  }
  const before = waiting.get(tx)
  if (before === undefined) {
    const records = [drafted]
    waiting.set(tx, { tenantId: tenant.id, records })
    const cipher = await tenantCipher(tx, tenant.id)
    const now = await databaseClock(tx)
    beforeCommit<Drafted>(tx, {
      // Only those of one tenant are put together: the database refuses a record for another tenant than the transaction's.
      kind: `records of ${tenant.id}`,
      parts: records,
      taken: () => void waiting.delete(tx),
      compose(parts, notices, states) {
        const moment = now()
        const keyed = parts.map((one) => keyedRecord(cipher, tenant.id, one, moment))
        return appendRecords(tenant.id, moment, keyed, notices, states)
      },
    })
  } else {
    if (before.tenantId !== tenant.id)
      throw new Error('The transaction is bound to one tenant, and can write only to its log.')
    before.records.push(drafted)
  }
  notify(tx, 'audit', tenant.id)
  return auditId
}

/** Writes the record whole and keys it: without the tenant's key, no one can add a record that the signer accepts. */
function keyedRecord(cipher: TenantCipher, tenantId: string, drafted: Drafted, moment: Date): UnplacedRecord {
  const { auditId, type, record, leafTail, nonce } = drafted
  const text = canonicalJson({ ...record, at: moment.toISOString() })
  const mac = cipher.mac(recordMacPurpose, keyedBytes({ tenantId, auditId, nonce, text }))
  return { auditId, type, text, digest: textDigest(nonce, text), mac, leafTail, nonce }
}
