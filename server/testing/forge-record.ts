import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import type { JsonObject } from '#lib/json.ts'
import { auditLeafHash, recordDigest } from '#server/kernel/audit/record.ts'
import { newId } from '#server/kernel/ids.ts'
import type { TestTenant } from './tenant.ts'

type Place = { date: string; seq: number }
type Owned = Pick<TestTenant, 'id' | 'externalId'>

// What the owner of the database can do without a key: everything is consistent, except for what needs the tenant's key.

/** Inserts a record of today's form, and grows the day. Returns its audit id. */
export async function insertForged(
  owner: Client,
  tenant: Owned,
  { date, mac = null, auditId = newId() }: { date: string; mac?: Buffer | null; auditId?: string },
): Promise<string> {
  const { rows } = await owner.query<{ size: number }>(
    `insert into audit_days (tenant_id, date, size) values ($1, $2, 1)
     on conflict (tenant_id, date) do update set size = audit_days.size + 1 returning size`,
    [tenant.id, date],
  )
  const seq = (rows[0]?.size ?? 1) - 1
  const at = `${date}T00:00:00.000Z`
  const action = 'approval.approve'
  const record = {
    auditId,
    at,
    action,
    actor: { type: 'person', id: newId(), name: 'Mallory' },
    resource: { type: 'approval', id: newId() },
  }
  const nonce = randomBytes(32)
  const digest = recordDigest(nonce, record)
  const leafHash = auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type: action })
  await owner.query(
    `insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [tenant.id, date, seq, auditId, action, JSON.stringify(record), nonce, digest, leafHash, at, mac],
  )
  return auditId
}

/** Changes the reason of a stored record, with its digest and leaf hash. */
export async function rewriteRecord(owner: Client, tenant: Owned, { date, seq }: Place, reason: string): Promise<void> {
  const { rows } = await owner.query<{ audit_id: string; type: string; nonce: Buffer; record: JsonObject }>(
    'select audit_id, type, nonce, record from audit_records where tenant_id = $1 and date = $2 and seq = $3',
    [tenant.id, date, seq],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`Record ${seq} of ${date} does not exist.`)
  const { audit_id: auditId, type, nonce } = row
  const record = { ...row.record, reason }
  const digest = recordDigest(nonce, record)
  const leafHash = auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type })
  await owner.query('update audit_records set record = $2, digest = $3, leaf_hash = $4 where audit_id = $1', [
    auditId,
    JSON.stringify(record),
    digest,
    leafHash,
  ])
}
