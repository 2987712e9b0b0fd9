-- Secrets, API keys, the keys that encrypt secrets, and when machines were last used.

-- A caller with an API key is a member too: idempotency, the audit log and separation of duties work on members.
alter table members drop constraint members_kind_check;
alter table members add constraint members_kind_check check (kind in ('person', 'service_account', 'api_key'));

-- A tenant's data keys, sealed under the master key (server/kernel/vault.ts). Values name the version that sealed them.
create table tenant_keys (
  tenant_id uuid not null references tenants,
  version integer not null check (version > 0),
  sealed_key bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, version)
);

-- The record behind a named value or an API key, with its lifecycle. `sealed_value` is encrypted under a tenant key and
-- is gone once the record is revoked or archived; an API key never has one.
create table secrets (
  tenant_id uuid not null references tenants,
  id uuid not null,
  kind text not null check (kind in ('value', 'api_key')),
  name text not null,
  sealed_value bytea,
  created_by uuid not null,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  archived_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references members (tenant_id, id),
  check ((sealed_value is not null) = (kind = 'value' and revoked_at is null and archived_at is null))
);
-- A value is referred to by its name, so a name means one value; revoking or archiving it frees the name.
create unique index secrets_one_value on secrets (tenant_id, name)
  where kind = 'value' and revoked_at is null and archived_at is null;

-- 256-bit keys, stored as SHA-256. `permissions` is what was asked for; what it grants is lib/rules/api-key-scopes.ts.
create table api_keys (
  tenant_id uuid not null,
  id uuid not null,
  secret_id uuid not null,
  member_id uuid not null,
  key_sha256 bytea not null check (octet_length(key_sha256) = 32),
  permissions text[] not null,
  primary key (tenant_id, id),
  unique (tenant_id, secret_id),
  unique (tenant_id, key_sha256),
  foreign key (tenant_id, secret_id) references secrets (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);

-- Which tenant a key belongs to, before a tenant is known. A row exists only for a transaction that names its digest,
-- which takes the key itself: nobody can list it, and a key's text says nothing of its tenant.
create table api_key_index (
  key_sha256 bytea primary key check (octet_length(key_sha256) = 32),
  tenant_id uuid not null references tenants
);

create function app_api_key() returns bytea language sql stable
  return decode(nullif(current_setting('app.api_key_sha256', true), ''), 'hex');

-- When a service account or an API key was last used, to the minute. Apart from members, whose rows are not for counting.
create table machine_uses (
  tenant_id uuid not null,
  member_id uuid not null,
  used_at timestamptz not null,
  primary key (tenant_id, member_id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);

alter table api_key_index enable row level security;
alter table api_key_index force row level security;
create policy api_key_index_known on api_key_index for select using (key_sha256 = app_api_key());
create policy api_key_index_create on api_key_index for insert with check (tenant_id = app_tenant());

do $$
declare t text;
begin
  foreach t in array array['tenant_keys', 'secrets', 'api_keys', 'machine_uses']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
