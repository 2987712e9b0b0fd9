-- Where an account or a client of a realm has proved itself lately: keyed digests of the account and the address, so that the
-- table tells neither. Strangers who guess at the account do not delay a caller from such a place.
create table known_places (
  tenant_id uuid not null references tenants,
  digest bytea not null,
  seen_at timestamptz not null default now(),
  primary key (tenant_id, digest)
);

alter table known_places enable row level security;
alter table known_places force row level security;
create policy tenant_isolation on known_places using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
