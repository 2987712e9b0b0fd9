import { sql } from 'kysely'
import type { Period } from '#server/evidence/collect/collect-store.ts'
import { inScope } from '#server/evidence/collect/scope-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The spans whose size is measured; the others are taken to be as large on average. */
const sampled = 200

/** Counts what an archive would contain. `bytesPerSpan` is their average as text. */
export async function countContents(
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
): Promise<{
  executions: number
  approvals: number
  decisions: number
  events: number
  spans: number
  bytesPerSpan: number
}> {
  const within = (column: string) => sql`${sql.ref(column)} >= ${start} and ${sql.ref(column)} < ${end}`
  const spans = sql`spans.tenant_id = ${tenantId} and ${within('spans.startedAt')} and ${inScope(tenantId, scope, 'spans')}`
  const { rows } = await sql<Awaited<ReturnType<typeof countContents>>>`
    select
      (select count(*) from executions where executions.tenant_id = ${tenantId} and executions.created_at < ${end}
        and (executions.ended_at is null or executions.ended_at >= ${start})
        and ${inScope(tenantId, scope, 'executions')}) as executions,
      (select count(*) from approvals where approvals.tenant_id = ${tenantId} and approvals.requested_at < ${end}
        and (approvals.decided_at is null or approvals.decided_at >= ${start})
        and ${inScope(tenantId, scope, 'approvals')}) as approvals,
      (select count(*) from policy_decisions where policy_decisions.tenant_id = ${tenantId}
        and ${within('policyDecisions.createdAt')} and ${inScope(tenantId, scope, 'policyDecisions')}) as decisions,
      (select count(*) from execution_events where execution_events.tenant_id = ${tenantId}
        and ${within('executionEvents.createdAt')} and ${inScope(tenantId, scope, 'executionEvents')}) as events,
      (select count(*) from spans where ${spans}) as spans,
      (select coalesce(avg(octet_length(attributes::text) + octet_length(events::text)), 0)::integer
        from (select attributes, events from spans where ${spans} limit ${sampled}) as sample) as "bytesPerSpan"`.execute(
    tx,
  )
  const [row] = rows
  if (row === undefined) throw new Error('A statement without a table has one row.')
  return row
}
