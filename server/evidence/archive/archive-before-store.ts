import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The id of the last archive that was completed before `exportId`, by the log: a row could be made to look unfinished. */
export async function findArchiveBefore(
  tx: Transaction,
  tenantId: string,
  exportId: string,
): Promise<string | undefined> {
  const last = (type: string) => sql`(
    select resource_id as id, date, seq from audit_records
    where tenant_id = ${tenantId} and type = ${type} and resource_id <> ${exportId}
    order by date desc, seq desc limit 1)`
  const { rows } = await sql<{ id: string }>`
    select id from (${last('evidence_export.completed')} union all ${last('evidence_export.completed_with_omissions')}) as completed
    order by date desc, seq desc limit 1`.execute(tx)
  return rows[0]?.id
}
