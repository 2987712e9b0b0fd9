import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

export type LastRecord = { date: string; seq: number; action: string; details: JsonValue }

/** The newest record of these actions about an object, of those that are committed. */
export async function findLastRecord(
  tx: Transaction,
  tenantId: string,
  resourceId: string,
  actions: readonly string[],
): Promise<LastRecord | undefined> {
  const { rows } = await sql<LastRecord>`
    select date, seq, type as action, record -> 'details' as details from audit_records
    where tenant_id = ${tenantId} and resource_id = ${resourceId} and type = any(${[...actions]})
    order by date desc, seq desc limit 1`.execute(tx)
  return rows[0]
}
