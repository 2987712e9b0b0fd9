import { closedAction, raisedActions } from './actions.ts'

/** Counts the open alarms of a tenant as the log and the table list them, for readers without the keys that prove them. */
export const openAlarmsText = `
  select count(*)::int as open
  from (select audit_id from audit_records where tenant_id = $1 and type = any($2::text[])) raised
  full join (select id, count from alarms where tenant_id = $1) alarm on alarm.id = raised.audit_id
  where (raised.audit_id is not null or alarm.count > 0)
    and not exists (
      select from audit_records closed where closed.tenant_id = $1 and closed.type = $3
        and closed.resource_id = coalesce(raised.audit_id, alarm.id)::text)`

export const openAlarmsValues = (tenantId: string): unknown[] => [tenantId, raisedActions, closedAction]
