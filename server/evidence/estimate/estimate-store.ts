import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Period } from '#server/evidence/collect/collect-store.ts'
import { inScope } from '#server/evidence/collect/scope-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The spans whose size is measured; the others are taken to be as large on average. */
const sampled = 200

/**
 * A count for which PostgreSQL expects a higher cost is not made. In its unit, the read of one page in order: about 200,000 rows,
 * a fifth of a second.
 */
export const mostCountCost = 50_000

export type Contents = {
  executions: number
  approvals: number
  decisions: number
  /** Of executions, with their steps. */
  events: number
  spans: number
  /** Their average as text. */
  bytesPerSpan: number
  /** Everything was counted. Otherwise some numbers are what PostgreSQL expects from its statistics. */
  exact: boolean
}

/** What an archive would contain. Takes a bounded time, however much the tenant has. */
export async function countContents(
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
  mostCost: number,
): Promise<Contents> {
  const within = (column: string) => sql`${sql.ref(column)} >= ${start} and ${sql.ref(column)} < ${end}`
  const spans = sql`from spans where spans.tenant_id = ${tenantId} and ${within('spans.startedAt')}
    and ${inScope(tenantId, scope, 'spans')}`
  const found = {
    executions: await countRows(
      tx,
      sql`from executions where executions.tenant_id = ${tenantId} and executions.created_at < ${end}
        and (executions.ended_at is null or executions.ended_at >= ${start})
        and ${inScope(tenantId, scope, 'executions')}`,
      mostCost,
    ),
    approvals: await countRows(
      tx,
      sql`from approvals where approvals.tenant_id = ${tenantId} and approvals.requested_at < ${end}
        and (approvals.decided_at is null or approvals.decided_at >= ${start})
        and ${inScope(tenantId, scope, 'approvals')}`,
      mostCost,
    ),
    decisions: await countRows(
      tx,
      sql`from policy_decisions where policy_decisions.tenant_id = ${tenantId}
        and ${within('policyDecisions.createdAt')} and ${inScope(tenantId, scope, 'policyDecisions')}`,
      mostCost,
    ),
    events: await countRows(
      tx,
      sql`from execution_events where execution_events.tenant_id = ${tenantId}
        and ${within('executionEvents.createdAt')} and ${inScope(tenantId, scope, 'executionEvents')}`,
      mostCost,
    ),
    steps: await countRows(
      tx,
      sql`from execution_steps where execution_steps.tenant_id = ${tenantId}
        and ${within('executionSteps.startedAt')} and ${inScope(tenantId, scope, 'executionSteps')}`,
      mostCost,
    ),
    spans: await countRows(tx, spans, mostCost),
  }
  const { executions, approvals, decisions, events, steps } = found
  return {
    executions: executions.rows,
    approvals: approvals.rows,
    decisions: decisions.rows,
    events: events.rows + steps.rows,
    spans: found.spans.rows,
    // Where few of very many spans would match, finding them could take as long as counting all: then any of the tenant's.
    bytesPerSpan: await averageSpan(
      tx,
      found.spans.exact ? spans : sql`from spans where spans.tenant_id = ${tenantId}`,
    ),
    exact: Object.values(found).every(({ exact }) => exact),
  }
}

const Explained = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number(), 'Total Cost': z.number() }) })])

/** `from`: a statement from its FROM on. */
async function countRows(
  tx: Transaction,
  from: RawBuilder<unknown>,
  mostCost: number,
): Promise<{ rows: number; exact: boolean }> {
  const explained = await sql<Record<string, unknown>>`explain (format json) select 1 ${from}`.execute(tx)
  const [{ Plan }] = Explained.parse(Object.values(explained.rows[0] ?? {})[0])
  if (Plan['Total Cost'] > mostCost) return { rows: Math.round(Plan['Plan Rows']), exact: false }
  const counted = await sql<{ rows: number }>`select count(*) as rows ${from}`.execute(tx)
  return { rows: counted.rows[0]?.rows ?? 0, exact: true }
}

async function averageSpan(tx: Transaction, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(avg(octet_length(attributes::text) + octet_length(events::text)), 0)::integer as bytes
    from (select attributes, events ${from} limit ${sampled}) as sample`.execute(tx)
  return rows[0]?.bytes ?? 0
}
