import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { firstIdAt } from '#server/kernel/ids.ts'

export type RuleCount = { rule: string; effect: string; count: number }

/** Of the newest `searched` decisions since a time: how many each rule of a version determined, by their effect. */
export async function countByRule(
  tx: Transaction,
  tenantId: string,
  { policyId, version, since, searched }: { policyId: string; version: number; since: Date; searched: number },
): Promise<{ counts: RuleCount[]; decisions: number }> {
  const { rows } = await sql<RuleCount & { decisions: number }>`
    with newest as materialized (
      select effect, reasons from policy_decisions
      where tenant_id = ${tenantId} and id >= ${firstIdAt(since)} order by id desc limit ${searched}
    )
    select null as rule, '' as effect, count(*)::integer as count from newest
    union all
    select reason.value ->> 'rule', effect, count(*)::integer
    from newest cross join lateral jsonb_array_elements(reasons) reason (value)
    where reasons @> jsonb_build_array(jsonb_build_object('policyId', ${policyId}::text))
      and reason.value ->> 'policyId' = ${policyId} and reason.value ->> 'policyVersion' = ${String(version)}
    group by 1, 2`.execute(tx)
  const [all, ...counts] = rows
  return { counts, decisions: all?.count ?? 0 }
}
