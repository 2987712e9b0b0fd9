import { isJsonObject } from '#lib/json.ts'
import { findLastRecord } from '#server/audit/last-record-store.ts'
import { listKeyedRecords } from '#server/audit/sealing/signer-store.ts'
import { whyNotOurs } from '#server/audit/sealing/unkeyed-records.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { GroupRow } from './store.ts'

const actions = ['provider_group.created', 'provider_group.updated']

/**
 * Throws IntegrityFailed unless the group has the name in the log's newest record about it. The provider changes groups by their ids:
 * with another group's name, the next person whom it adds would get a seat that no one approved.
 */
export async function requireRecordedName(tx: Transaction, tenant: Tenant, row: GroupRow): Promise<void> {
  const last = await findLastRecord(tx, tenant.id, row.id, actions)
  const [record] = last === undefined ? [] : await listKeyedRecords(tx, tenant.id, last.date, last.seq, last.seq + 1)
  const why = record === undefined ? 'does not exist' : await whyNotOurs(tx, tenant, record)
  const reason = why === undefined ? whyUnlike(row, last?.details) : `The newest record about it ${why}.`
  if (reason !== undefined)
    throw new IntegrityFailed({ tenantId: tenant.id, type: 'provider_group', id: row.id, reason })
}

/** The name in the newest record about a group, also of one that was deleted. */
export async function recordedName(tx: Transaction, tenantId: string, id: string): Promise<string | undefined> {
  const last = await findLastRecord(tx, tenantId, id, [...actions, 'provider_group.deleted'])
  const details = isJsonObject(last?.details) ? last.details : {}
  return typeof details.name === 'string' ? details.name : undefined
}

function whyUnlike({ name, externalId }: GroupRow, details: unknown): string | undefined {
  const known = isJsonObject(details) ? details : {}
  if (known.name !== name) return 'It has another name than in the newest record about it.'
  // Records of earlier versions don't have it.
  return known.externalId === undefined || known.externalId === externalId
    ? undefined
    : 'It has another external id than in the newest record about it.'
}
