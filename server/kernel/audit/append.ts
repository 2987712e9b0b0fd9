import { randomBytes } from 'node:crypto'
import { definedOnly, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { beforeCommit } from '#server/kernel/db/transaction.ts'
import { newId } from '#server/kernel/ids.ts'
import { leafTail, recordAround } from './record.ts'
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

// Owned by this module: the records that an open transaction is going to write.
type Waiting = { tenantId: string; records: UnplacedRecord[]; last: { before: Before; after: JsonObject } }
type Before = Parameters<typeof recordAround>[0]
const waiting = new WeakMap<Transaction, Waiting>()

/** The state of an object after the operation, as its record commits to it; `digest` is null if it was deleted. */
export type RecordedState = { type: string; id: string; revision: number; form: number; digest: string | null }

/**
 * Adds the states of the objects that a transaction changed to its last record. Returns the record's id, or undefined if
 * the transaction does not have a record yet.
 */
export function addStates(tx: Transaction, states: readonly RecordedState[]): string | undefined {
  const found = waiting.get(tx)
  const record = found?.records.at(-1)
  if (found === undefined || record === undefined) return undefined
  const { before, after } = found.last
  record.around = recordAround(before, { ...after, states: states.map((state) => ({ ...state })) })
  return record.auditId
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
  const last = {
    before: { action, actor },
    after: definedOnly({ auditId, resource, reason, details: details && definedOnly(details), requestId }),
  }
  const record: UnplacedRecord = {
    auditId,
    type: action,
    around: recordAround(last.before, last.after),
    leafTail: leafTail({ tenant: tenant.externalId, type: action }),
    nonce: randomBytes(32),
  }
  const before = waiting.get(tx)
  if (before === undefined) {
    const records = [record]
    waiting.set(tx, { tenantId: tenant.id, records, last })
    beforeCommit(tx, (notices) => {
      waiting.delete(tx)
      return appendRecords(tenant.id, records, notices)
    })
  } else {
    if (before.tenantId !== tenant.id)
      throw new Error('The transaction is bound to one tenant, and can write only to its log.')
    before.records.push(record)
    before.last = last
  }
  notify(tx, 'audit', tenant.id)
  return auditId
}
