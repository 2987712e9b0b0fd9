-- While rows from before decision 0036 are being bound, a worker confirms so for each tenant, for a minute at a time: a process
-- without the signer's memory can't tell otherwise whether the adoption is open or its traces were deleted (decision 0042).
create table bound_adoption_leases (
  tenant_id uuid primary key references tenants,
  valid_until timestamptz not null,
  mac bytea not null
);
alter table bound_adoption_leases enable row level security;
alter table bound_adoption_leases force row level security;
create policy tenant_isolation on bound_adoption_leases using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
