import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

export type CancelRecord = { auditId: string; kind: string; id: string; name: string; reason: string | null }

/**
 * Whose act the records of withdrawals are. A stopped execution withdraws its request in its agent's name: then it is the act of the
 * person who asked for the stop, if there is one.
 */
export async function findCancelRecords(
  tx: Transaction,
  tenantId: string,
  auditIds: readonly string[],
): Promise<CancelRecord[]> {
  if (auditIds.length === 0) return []
  const { rows } = await sql<CancelRecord>`
    select withdrawn.audit_id as audit_id, act.actor ->> 'type' as kind, act.actor ->> 'id' as id,
      act.actor ->> 'name' as name, act.reason
    from audit_records withdrawn
    left join lateral (
      select record -> 'actor' as actor, record ->> 'reason' as reason from audit_records
      where withdrawn.record #>> '{actor,type}' = 'agent' and tenant_id = withdrawn.tenant_id
        and resource_id = withdrawn.record #>> '{details,executionId}' and type = 'execution.stop_requested'
      order by date, seq limit 1) stop on true
    cross join lateral (
      select coalesce(stop.actor, withdrawn.record -> 'actor') as actor,
        case
          when stop.actor is not null then stop.reason
          when withdrawn.type in ('approval.canceled', 'approval.changes_requested') then withdrawn.record ->> 'reason'
        end as reason) act
    where withdrawn.tenant_id = ${tenantId} and withdrawn.audit_id = any(${[...auditIds]}::uuid[])`.execute(tx)
  return rows
}
