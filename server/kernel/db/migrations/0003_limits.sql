-- What keeps callers within bounds on all nodes: proofs of possession that were used, and budgets of requests.

-- DPoP proofs (RFC 9449) by SHA-256 over key and id. A row is of use for a minute or so; housekeeping deletes it.
create table dpop_proofs (
  tenant_id uuid not null references tenants,
  digest bytea not null check (octet_length(digest) = 32),
  expires_at timestamptz not null,
  primary key (tenant_id, digest)
);
create index dpop_proofs_by_expiry on dpop_proofs (tenant_id, expires_at);

-- How much of a budget nodes have borrowed in the window that ends at `ends_at`. `borrowed` also counts what was asked for
-- in vain. Unlogged: it is written often, and what a crash forgets is a minute's count.
create unlogged table rate_budgets (
  tenant_id uuid not null references tenants,
  name text not null,
  borrowed bigint not null,
  ends_at timestamptz not null,
  primary key (tenant_id, name)
);

do $$
declare t text;
begin
  foreach t in array array['dpop_proofs', 'rate_budgets']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
