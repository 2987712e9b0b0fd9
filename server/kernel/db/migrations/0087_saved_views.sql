-- Filters of a list under a name: how people look at lists, and no evidence.
create table saved_views (
  tenant_id uuid not null references tenants,
  id uuid not null,
  list text not null check (list in ('approvals')),
  owner_id uuid not null,
  name text not null,
  search jsonb not null,
  shared boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, list, owner_id, name),
  foreign key (tenant_id, owner_id) references members (tenant_id, id)
);
create index saved_views_by_list on saved_views (tenant_id, list, shared);

alter table saved_views enable row level security;
alter table saved_views force row level security;
create policy tenant_isolation on saved_views using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
