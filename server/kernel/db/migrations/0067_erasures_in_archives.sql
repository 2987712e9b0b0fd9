-- The archives that hold the subject of an erasure, and what became of them. `held`: a legal hold protects the archive, which
-- is deleted, if the tenant wants that, when the last hold on it has been released.

create table erasure_archives (
  tenant_id uuid not null references tenants,
  erasure_id uuid not null,
  export_id uuid not null,
  outcome text not null check (outcome in ('deleted', 'marked', 'held')),
  found_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, erasure_id, export_id),
  foreign key (tenant_id, erasure_id) references erasures (tenant_id, id),
  foreign key (tenant_id, export_id) references evidence_exports (tenant_id, id)
);
create index erasure_archives_by_export on erasure_archives (tenant_id, export_id);

alter table erasure_archives enable row level security;
alter table erasure_archives force row level security;
create policy tenant_isolation on erasure_archives using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
