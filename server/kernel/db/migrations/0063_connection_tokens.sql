-- Connection tokens: credentials of service accounts for clients that can only send a fixed header (decision 0049).

-- 256-bit tokens, stored as SHA-256. `agents` has the names of the agents that the token is for; null means all of them.
create table connection_tokens (
  tenant_id uuid not null references tenants,
  id uuid not null,
  member_id uuid not null,
  name text not null,
  use text not null check (use in ('telemetry', 'gateway', 'scim')),
  agents text[],
  token_sha256 bytea not null check (octet_length(token_sha256) = 32),
  created_by uuid not null,
  revision integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, token_sha256),
  foreign key (tenant_id, member_id) references members (tenant_id, id),
  foreign key (tenant_id, created_by) references members (tenant_id, id),
  check (use <> 'gateway' or agents is not null),
  check (cardinality(agents) > 0)
);
-- The tokens of an account are listed, and revoked when it is disabled.
create index connection_tokens_of_account on connection_tokens (tenant_id, member_id, id);

-- Which tenant a token belongs to, before a tenant is known. A row is visible only to a transaction that names its digest,
-- which requires the token itself.
create table connection_token_index (
  token_sha256 bytea primary key check (octet_length(token_sha256) = 32),
  tenant_id uuid not null references tenants
);

create function app_connection_token() returns bytea language sql stable
  return decode(nullif(current_setting('app.connection_token_sha256', true), ''), 'hex');

-- When a token was last used, to the minute. Apart from the tokens, whose rows are bound to the log.
create table connection_token_uses (
  tenant_id uuid not null,
  token_id uuid not null,
  used_at timestamptz not null,
  primary key (tenant_id, token_id),
  foreign key (tenant_id, token_id) references connection_tokens (tenant_id, id)
);

alter table connection_token_index enable row level security;
alter table connection_token_index force row level security;
create policy connection_token_index_known on connection_token_index for select using (token_sha256 = app_connection_token());
create policy connection_token_index_create on connection_token_index for insert with check (tenant_id = app_tenant());

do $$
declare t text;
begin
  foreach t in array array['connection_tokens', 'connection_token_uses']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;

select bound.watch('connection_tokens', array['id'], '{}');

-- Anyone who has seen a token of a machine is one identity with it, like anyone who has seen its secret.
alter table member_sponsors drop constraint member_sponsors_link_check;
alter table member_sponsors add constraint member_sponsors_link_check check (link in ('created', 'rotated', 'token'));
