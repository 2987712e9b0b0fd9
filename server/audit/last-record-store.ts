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

/** When the newest of these actions about each of the objects was recorded, leaving out what came by `except` (`through` in its details). */
export async function findLastTimes(
  tx: Transaction,
  tenantId: string,
  { resourceIds, actions, except }: { resourceIds: readonly string[]; actions: readonly string[]; except: string },
): Promise<Map<string, Date>> {
  if (resourceIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; at: Date }>`
    select resource_id as id, max(created_at) as at from audit_records
    where tenant_id = ${tenantId} and resource_id = any(${[...resourceIds]}) and type = any(${[...actions]})
      and record -> 'details' ->> 'through' is distinct from ${except}
    group by resource_id`.execute(tx)
  return new Map(rows.map(({ id, at }) => [id, at]))
}
