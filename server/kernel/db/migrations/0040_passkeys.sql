-- WebAuthn credentials of people, in this tenant. The private key never leaves the person's device.
create table passkeys (
  tenant_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  name text not null,
  -- As the browser gives it: base64url.
  credential_id text not null,
  -- COSE_Key (RFC 9052).
  public_key bytea not null,
  -- How often the device says that it signed; 0 for those that do not count.
  sign_count bigint not null,
  transports text[] not null,
  -- Copied between the person's devices by its maker.
  synced boolean not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, credential_id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index passkeys_by_member on passkeys (tenant_id, member_id, id);

-- What a person's device is asked to sign, once. `bound` says for what.
create table passkey_challenges (
  tenant_id uuid not null,
  challenge text not null,
  member_id uuid not null,
  bound jsonb not null,
  expires_at timestamptz not null,
  primary key (tenant_id, challenge),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index passkey_challenges_by_member on passkey_challenges (tenant_id, member_id);

alter table passkeys enable row level security;
alter table passkeys force row level security;
create policy tenant_isolation on passkeys using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
alter table passkey_challenges enable row level security;
alter table passkey_challenges force row level security;
create policy tenant_isolation on passkey_challenges using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());

-- What the approver's device signed: with it anybody can check the vote again.
alter table approval_votes add column confirmation jsonb;
