-- Clients that registered themselves (docs/decisions/0055-clients-that-register-themselves.md): how programs of other vendors sign
-- people in, and no evidence.
create table registered_clients (
  tenant_id uuid not null references tenants,
  client_id text not null,
  -- As the client calls itself.
  name text,
  redirect_uris jsonb not null,
  renews boolean not null,
  registered_at timestamptz not null default now(),
  used_at timestamptz,
  primary key (tenant_id, client_id)
);
create index registered_clients_by_time on registered_clients (tenant_id, registered_at);

alter table registered_clients enable row level security;
alter table registered_clients force row level security;
create policy tenant_isolation on registered_clients using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
