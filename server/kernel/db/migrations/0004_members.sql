-- Who may act in a tenant: invitations, changes that somebody else approves, delegations, branding images.

-- ---------------------------------------------------------------- one person in several tenants

create function app_principal_issuer() returns text language sql stable
  return nullif(current_setting('app.principal_issuer', true), '');
create function app_principal_subject() returns text language sql stable
  return nullif(current_setting('app.principal_subject', true), '');

-- A principal's own memberships, whatever the tenant: what the switcher lists. Read only, and nobody else's rows.
create policy own_memberships on members for select
  using (issuer = app_principal_issuer() and subject = app_principal_subject());
create index members_by_principal on members (issuer, subject);

-- Open sockets and streams of a member look again when the membership changes, by whatever path it did.
create function notify_member() returns trigger language plpgsql as $$
begin
  perform pg_notify('member', new.id::text);
  return null;
end $$;
create trigger members_changed after update of status, roles on members for each row
  when (old.status is distinct from new.status or old.roles is distinct from new.roles)
  execute function notify_member();

-- ---------------------------------------------------------------- sign-in links

-- A person who was invited has no password until they set one.
alter table realm_users alter column password_hash drop not null;

-- One-time links with which a person sets the password: 256 bits, of which only the SHA-256 is kept.
create table realm_sign_in_links (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_sha256 bytea not null,
  purpose text not null check (purpose in ('invitation', 'reset')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, token_sha256),
  foreign key (tenant_id, user_id) references realm_users (tenant_id, id) on delete cascade
);

-- All that hangs on one account, to end it at once.
create index realm_artifacts_by_account on realm_artifacts (tenant_id, (payload ->> 'accountId'));

-- ---------------------------------------------------------------- changes that change-approvers approve

-- The kinds stand in lib/schemas/approvals.ts; a decision on a kind that no domain handles is refused there.
alter table approvals drop constraint approvals_kind_check;
-- What is asked for need not be about an agent.
alter table approvals alter column agent_id drop not null;

-- A grant of a role, a group's new members, a weaker setting, an approver's new password: what was proposed.
create table access_changes (
  tenant_id uuid not null references tenants,
  id uuid not null,
  kind text not null check (kind in ('role_grant', 'group_change', 'setting_change', 'password_reset')),
  -- The member, the group or the tenant.
  subject_id uuid not null,
  change jsonb not null,
  -- 'approved' is a step for what its proposer still has to carry out; the other kinds are applied by the approval itself.
  status text not null check (status in ('proposed', 'approved', 'applied', 'rejected', 'withdrawn')),
  approval_id uuid not null,
  proposed_by uuid not null,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, proposed_by) references members (tenant_id, id)
);
create unique index access_changes_one_proposed on access_changes (tenant_id, kind, subject_id)
  where status = 'proposed';

-- ---------------------------------------------------------------- delegations

create table approver_delegations (
  tenant_id uuid not null,
  id uuid not null,
  -- The approver who is absent, and the one who stands in.
  delegator_id uuid not null,
  delegate_id uuid not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  reason text not null,
  ended_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (delegator_id <> delegate_id),
  check (from_at < until_at),
  foreign key (tenant_id, delegator_id) references members (tenant_id, id),
  foreign key (tenant_id, delegate_id) references members (tenant_id, id)
);
create index approver_delegations_by_delegate on approver_delegations (tenant_id, delegate_id, until_at);

-- In whose place the vote was given.
alter table approval_votes add column on_behalf_of uuid;
alter table approval_votes add foreign key (tenant_id, on_behalf_of) references members (tenant_id, id);
-- One seat in a group gives one vote, whoever sits on it.
create unique index approval_votes_one_per_seat
  on approval_votes (tenant_id, approval_id, escalation_level, coalesce(on_behalf_of, member_id));

-- ---------------------------------------------------------------- branding

create table branding_images (
  tenant_id uuid not null references tenants,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  media_type text not null check (media_type in ('image/png', 'image/svg+xml')),
  bytes bytea not null check (octet_length(bytes) <= 262144),
  created_at timestamptz not null default now(),
  primary key (tenant_id, sha256)
);
create index branding_images_by_digest on branding_images (sha256);

create function app_branding_digest() returns text language sql stable
  return nullif(current_setting('app.branding_digest', true), '');

-- ---------------------------------------------------------------- row-level security

do $$
declare t text;
begin
  foreach t in array array['realm_sign_in_links', 'access_changes', 'approver_delegations', 'branding_images']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;

-- The image is public to whoever knows its digest, and to nobody who does not.
create policy branding_by_digest on branding_images for select using (sha256 = app_branding_digest());
