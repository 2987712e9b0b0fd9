import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

export type LogState = {
  /** Records that no checkpoint covers. */
  unsignedRecords: number
  /** Age of the oldest of them, in seconds. */
  lagSeconds: number
  /** Days, and the seal log, that differ from their signature. */
  brokenLogs: number
}

/** How far the tenant's log is signed, and whether the recurring check found it broken. */
export async function findLogState(tx: Transaction, tenantId: string): Promise<LogState> {
  const { rows } = await sql<LogState>`
    select coalesce(sum(day.size - signed.size), 0)::int as unsigned_records,
      coalesce(extract(epoch from max(now() - record.created_at)), 0)::float8 as lag_seconds,
      (select count(*) from audit_trees where tenant_id = ${tenantId} and broken_at is not null)::int as broken_logs
    from audit_days day
    cross join lateral (
      select coalesce(max(checkpoint.size), 0) as size from audit_checkpoints checkpoint
      where checkpoint.tenant_id = day.tenant_id and checkpoint.date = day.date
    ) signed
    join audit_records record on record.tenant_id = day.tenant_id and record.date = day.date and record.seq = signed.size
    where day.tenant_id = ${tenantId} and day.sealed_at is null and day.size > signed.size`.execute(tx)
  const [state] = rows
  if (state === undefined) throw new Error('unreachable: an aggregate has a row')
  return state
}
