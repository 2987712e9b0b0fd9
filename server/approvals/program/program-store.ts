import { sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The details of the record of how each of these executions was started, by the execution's id. A call that repeats it adds another one. */
export async function findStarts(
  tx: Transaction,
  tenantId: string,
  executionIds: readonly string[],
): Promise<Map<string, JsonValue>> {
  if (executionIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; details: JsonValue }>`
    select asked.id, started.details from unnest(${[...executionIds]}::text[]) asked (id)
    cross join lateral (
      select record -> 'details' as details from audit_records
      where tenant_id = ${tenantId} and resource_id = asked.id and type = 'execution.started'
      order by date, seq limit 1) started`.execute(tx)
  return new Map(rows.map(({ id, details }) => [id, details]))
}
