-- What a provider says of people and groups by SCIM (docs/decisions/0092-scim.md). Who is a member, with which roles, is in members,
-- and who belongs to a group is in mapped_members: both are bound to the log.

-- The names and addresses that the provider sent for a person, as it sent them.
create table provisioned_members (
  tenant_id uuid not null references tenants,
  member_id uuid not null,
  user_name text not null,
  display_name text,
  -- {"formatted", "familyName", "givenName", …}
  name jsonb,
  -- [{"value", "type", "primary", "display"}]
  emails jsonb not null default '[]',
  revision integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, member_id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);

-- A group of the provider, by the name that mapped_members has.
create table provisioned_groups (
  tenant_id uuid not null references tenants,
  id uuid not null,
  name text not null check (length(name) between 1 and 256),
  external_id text,
  revision integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, name)
);

do $$
declare t text;
begin
  foreach t in array array['provisioned_members', 'provisioned_groups']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
