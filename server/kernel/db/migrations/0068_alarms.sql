-- What is known of each alarm beyond the log: when it was seen last, and how often. The audit log decides whether an alarm
-- exists and whether it is open; a row adds to that only with a right keyed digest (docs/decisions/0040-alarms.md). The rows
-- have no unique index over open alarms: a row that was reopened or inserted by SQL would otherwise keep an alarm from being
-- raised.
create table alarms (
  tenant_id uuid not null references tenants,
  -- The id of the audit record that raised it.
  id uuid not null,
  kind text not null,
  subject text not null,
  reason text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  count integer not null,
  mac text not null,
  primary key (tenant_id, id)
);
alter table alarms enable row level security;
alter table alarms force row level security;
create policy tenant_isolation on alarms using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
