import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Returns all recorded actions, with one index lookup each. */
export async function listTypes(tx: Transaction, tenantId: string): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`
    with recursive found(type) as (
      (select type from audit_records where tenant_id = ${tenantId} order by type limit 1)
      union all
      select (select type from audit_records where tenant_id = ${tenantId} and type > found.type order by type limit 1)
      from found where found.type is not null
    ) select type from found where type is not null order by type collate "C"`.execute(tx)
  return rows.map(({ type }) => type)
}

/** Returns the actors of the last `records` records, most recent first, with the name in their latest record. */
export async function listRecentActors(
  tx: Transaction,
  tenantId: string,
  { records, limit }: { records: number; limit: number },
): Promise<{ type: string; id: string; name: string }[]> {
  const { rows } = await sql<{ type: string; id: string; name: string }>`
    select type, id, name from (
      select distinct on (id) id, actor ->> 'type' as type, actor ->> 'name' as name, date, seq
      from (
        select record -> 'actor' as actor, record -> 'actor' ->> 'id' as id, date, seq
        from audit_records where tenant_id = ${tenantId} order by date desc, seq desc limit ${records}
      ) recent
      where actor ->> 'type' is not null and id is not null and actor ->> 'name' is not null
      order by id, date desc, seq desc
    ) actor order by date desc, seq desc limit ${limit}`.execute(tx)
  return rows
}
