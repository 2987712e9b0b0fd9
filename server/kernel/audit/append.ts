import { randomBytes } from 'node:crypto'
import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import { auditLeafHash, recordDigest } from './record.ts'
import { insertRecord, nextSequence } from './store.ts'

export type AuditAct = {
  auditId?: string
  actor: { type: 'person' | 'service_account' | 'api_key' | 'agent' | 'system'; id: string; name: string }
  action: string
  resource: { type: string; id: string }
  reason?: string
  details?: JsonObject
  requestId?: string
}

/** The actor of what the product does by itself (expiry, recovery, sealing). */
export const systemActor = { type: 'system', id: 'countersign', name: 'Countersign' } as const

/**
 * Appends one record to the tenant's log of today, in the caller's transaction: if it can't be written, the act does not
 * happen. Takes the lock on the tenant's day until commit, so call it last. Returns the record's id.
 */
export async function appendAudit(
  tx: Transaction,
  tenant: { id: string; externalId: string },
  act: AuditAct,
): Promise<string> {
  const auditId = act.auditId ?? newId()
  const nonce = randomBytes(32)
  const { date, seq, at } = await nextSequence(tx, tenant.id)
  const record: JsonObject = {
    auditId,
    at,
    actor: act.actor,
    action: act.action,
    resource: act.resource,
    ...(act.reason === undefined ? {} : { reason: act.reason }),
    ...(act.details === undefined ? {} : { details: act.details }),
    ...(act.requestId === undefined ? {} : { requestId: act.requestId }),
  }
  const digest = recordDigest(nonce, record)
  const leafHash = auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type: act.action })
  await insertRecord(tx, {
    tenantId: tenant.id,
    date,
    seq,
    auditId,
    type: act.action,
    record,
    nonce,
    digest,
    leafHash,
    createdAt: at,
  })
  notify(tx, 'audit', tenant.id)
  return auditId
}
