import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { auditLeafHash, keyedBytes, recordMacPurpose, textDigest } from '#server/kernel/audit/record.ts'
import { newId } from '#server/kernel/ids.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'

const perStatement = 5000
const type = 'tool.called'

/**
 * Records of a day of a tenant's log, as if written on that day, after those that it has: real digests, leaf hashes and macs, not yet signed. `cipher`: of
 * the tenant, if it is not one of this process's runtime.
 */
export async function seedDay(
  {
    tenant,
    owner,
  }: {
    tenant: { id: string; externalId: string }
    owner: { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> }
  },
  date: string,
  count: number,
  cipher?: TenantCipher,
): Promise<void> {
  const keyed = cipher ?? (await runtime().database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id)))
  // Today may have records of its own.
  const { rows: days } = await owner.query(
    `insert into audit_days (tenant_id, date, size) values ($1, $2, $3)
     on conflict (tenant_id, date) do update set size = audit_days.size + excluded.size returning size`,
    [tenant.id, date, count],
  )
  const begin = z.object({ size: z.number() }).parse(days[0]).size - count
  for (let first = 0; first < count; first += perStatement) {
    const rows = Array.from({ length: Math.min(perStatement, count - first) }, (_, index) =>
      rowOf(begin + first + index),
    )
    await owner.query(
      `insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at, mac)
       select $1, $2, row.* from unnest($3::int[], $4::uuid[], $5::text[], $6::jsonb[], $7::bytea[], $8::bytea[],
         $9::bytea[], $10::timestamptz[], $11::bytea[]) as row`,
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
        rows.map((row) => row.mac),
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
    const text = canonicalJson(record)
    const digest = textDigest(nonce, text)
    const mac = keyed.mac(recordMacPurpose, keyedBytes({ tenantId: tenant.id, auditId, nonce, text }))
    const leafHash = auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type })
    return { seq, auditId, at, record, nonce, digest, leafHash, mac }
  }
}
