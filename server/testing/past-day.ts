import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { auditLeafHash, keyedBytes, recordMacPurpose, textDigest } from '#server/kernel/audit/record.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { Runtime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from './owner.ts'
import type { TestTenant } from './tenant.ts'

// Records at other times, as the server would have written them then: only the owner of the database together with the tenant's key can
// do this, and only before they are signed.

type Owned = Pick<TestTenant, 'id' | 'externalId'>
type Row = { audit_id: string; date: string; seq: number; type: string; nonce: Buffer; record: JsonObject }

/** Moves all records of a tenant that was never signed to an earlier day, with the time of that day. */
export async function moveToPast(runtime: Pick<Runtime, 'database'>, tenant: Owned, date: string): Promise<void> {
  await rewriteRecords(runtime, tenant, ({ record }) => ({
    date,
    at: `${date}${String(record.at).slice('YYYY-MM-DD'.length)}`,
  }))
}

/** Gives records that were not signed yet other times, by their audit ids. Their days and places stay. */
export async function setRecordTimes(
  runtime: Pick<Runtime, 'database'>,
  tenant: Owned,
  times: ReadonlyMap<string, Date>,
): Promise<void> {
  await rewriteRecords(runtime, tenant, ({ audit_id: auditId, date }) => {
    const at = times.get(auditId)
    return at && { date, at: at.toISOString() }
  })
}

async function rewriteRecords(
  { database }: Pick<Runtime, 'database'>,
  tenant: Owned,
  changeOf: (row: Row) => { date: string; at: string } | undefined,
): Promise<void> {
  const cipher = await database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
  const owner = await connectAsOwner({ database })
  try {
    const { rows } = await owner.query<Row>(
      'select audit_id, date::text, seq, type, nonce, record from audit_records where tenant_id = $1',
      [tenant.id],
    )
    for (const row of rows) {
      const change = changeOf(row)
      if (change === undefined) continue
      const { audit_id: auditId, seq, type, nonce, record } = row
      const { date, at } = change
      const moved = { ...record, at }
      const text = canonicalJson(moved)
      const digest = textDigest(nonce, text)
      if (date !== row.date)
        await owner.query('update audit_days set date = $3 where tenant_id = $1 and date = $2', [
          tenant.id,
          row.date,
          date,
        ])
      await owner.query(
        `update audit_records set record = $3, digest = $4, leaf_hash = $5, mac = $6, created_at = $7, date = $8
         where tenant_id = $1 and audit_id = $2`,
        [
          tenant.id,
          auditId,
          JSON.stringify(moved),
          digest,
          auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type }),
          cipher.mac(recordMacPurpose, keyedBytes({ tenantId: tenant.id, auditId, nonce, text })),
          at,
          date,
        ],
      )
    }
  } finally {
    await owner.end()
  }
}
