import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/**
 * The tenant's unfinished jobs by queue and state. The queue's tables contain the tenant only in the data of each job.
 */
export async function listQueueDepths(
  tx: Transaction,
  tenantId: string,
): Promise<{ queue: string; state: 'waiting' | 'running' | 'retrying'; jobs: number; oldestDueSeconds: number }[]> {
  const { rows } = await sql<{
    queue: string
    state: 'waiting' | 'running' | 'retrying'
    jobs: number
    oldestDueSeconds: number
  }>`
    select name as queue,
      case state when 'created' then 'waiting' when 'active' then 'running' else 'retrying' end as state,
      count(*)::int as jobs,
      coalesce(extract(epoch from now() - min(start_after) filter (where start_after <= now())), 0)::float8
        as oldest_due_seconds
    from pgboss.job
    where state in ('created', 'active', 'retry') and data ->> 'tenantId' = ${tenantId}
    group by name, state order by name, state`.execute(tx)
  return rows
}
