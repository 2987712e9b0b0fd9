-- How far a sink of SIEM_SINKS has got the tenant's audit log: how many records of `date`, and of the day before, to which a transaction
-- may still append after midnight. No evidence: what is sent twice has the same id.
create table siem_positions (
  tenant_id uuid not null references tenants,
  sink text not null,
  date date not null,
  seen integer not null,
  before integer not null,
  primary key (tenant_id, sink)
);

alter table siem_positions enable row level security;
alter table siem_positions force row level security;
create policy tenant_isolation on siem_positions using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
