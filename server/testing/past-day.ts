import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { auditLeafHash, keyedBytes, recordMacPurpose, textDigest } from '#server/kernel/audit/record.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { Runtime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from './owner.ts'
import type { TestTenant } from './tenant.ts'

/**
 * Moves all records of a tenant that was never signed to an earlier day, with the time of that day, as the server would have
 * written them then: only the owner of the database together with the tenant's key can do this.
 */
export async function moveToPast(
  { database }: Pick<Runtime, 'database'>,
  tenant: Pick<TestTenant, 'id' | 'externalId'>,
  date: string,
): Promise<void> {
  const cipher = await database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
  const owner = await connectAsOwner({ database })
  try {
    const { rows } = await owner.query<{
      audit_id: string
      seq: number
      type: string
      nonce: Buffer
      record: JsonObject
    }>('select audit_id, seq, type, nonce, record from audit_records where tenant_id = $1', [tenant.id])
    await owner.query('update audit_records set date = $2 where tenant_id = $1', [tenant.id, date])
    await owner.query('update audit_days set date = $2 where tenant_id = $1', [tenant.id, date])
    for (const { audit_id: auditId, seq, type, nonce, record } of rows) {
      const at = `${date}${String(record.at).slice('YYYY-MM-DD'.length)}`
      const moved = { ...record, at }
      const text = canonicalJson(moved)
      const digest = textDigest(nonce, text)
      await owner.query(
        `update audit_records set record = $3, digest = $4, leaf_hash = $5, mac = $6, created_at = $7
         where tenant_id = $1 and audit_id = $2`,
        [
          tenant.id,
          auditId,
          JSON.stringify(moved),
          digest,
          auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type }),
          cipher.mac(recordMacPurpose, keyedBytes({ tenantId: tenant.id, auditId, nonce, text })),
          at,
        ],
      )
    }
  } finally {
    await owner.end()
  }
}
