import { randomBytes } from 'node:crypto'
import type { JsonObject } from '#lib/json.ts'
import { auditLeafHash, recordDigest } from '#server/kernel/audit/record.ts'
import { newId } from '#server/kernel/ids.ts'

const perStatement = 5000
const type = 'tool.called'

/** A whole day of a tenant's log, as if written on that day: real digests and leaf hashes, not yet signed. */
export async function seedDay(
  {
    tenant,
    owner,
  }: {
    tenant: { id: string; externalId: string }
    owner: { query(text: string, values?: unknown[]): Promise<unknown> }
  },
  date: string,
  count: number,
): Promise<void> {
  await owner.query('insert into audit_days (tenant_id, date, size) values ($1, $2, $3)', [tenant.id, date, count])
  for (let first = 0; first < count; first += perStatement) {
    const rows = Array.from({ length: Math.min(perStatement, count - first) }, (_, index) => rowOf(first + index))
    await owner.query(
      `insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at)
       select $1, $2, row.* from unnest($3::int[], $4::uuid[], $5::text[], $6::jsonb[], $7::bytea[], $8::bytea[],
         $9::bytea[], $10::timestamptz[]) as row`,
      [
        tenant.id,
        date,
        rows.map((row) => row.seq),
        rows.map((row) => row.auditId),
        rows.map(() => type),
        rows.map((row) => JSON.stringify(row.record)),
        rows.map((row) => row.nonce),
        rows.map((row) => row.digest),
        rows.map((row) => row.leafHash),
        rows.map((row) => row.at),
      ],
    )
  }

  function rowOf(seq: number) {
    const auditId = newId()
    const at = new Date(Date.parse(date) + seq).toISOString()
    const record: JsonObject = {
      auditId,
      at,
      actor: { type: 'agent', id: newId(), name: 'refund-assistant' },
      action: type,
      resource: { type: 'execution', id: newId() },
      details: { step: 'order', tool: 'payments/lookup_order', attempt: 1, idempotencyKey: `${newId()}:order` },
    }
    const nonce = randomBytes(32)
    const digest = recordDigest(nonce, record)
    const leafHash = auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type })
    return { seq, auditId, at, record, nonce, digest, leafHash }
  }
}
