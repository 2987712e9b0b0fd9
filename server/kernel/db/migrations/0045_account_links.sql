-- Who could have taken an account: one row for each time that an account was created, invited or reset. Until it is proved that
-- the account's holder controls it, the account and the person named here are one identity (docs/decisions/0026-one-person.md).
create table account_links (
  -- The tenant in which it happened. An account is a principal, which may be a member of other tenants too.
  tenant_id uuid not null references tenants,
  id uuid not null,
  issuer text not null,
  subject text not null,
  kind text not null check (kind in ('created', 'invited', 'reset')),
  -- The person who invited or reset. Null: the operator, or another identity provider.
  by_issuer text,
  by_subject text,
  -- The one-time link went to the account's address and was shown to no one.
  mailed boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  -- A mailed link was used since then.
  mail_used_at timestamptz,
  -- Of an invitation: the second person who confirmed the address that the first one chose.
  address_confirmed_by uuid,
  proof text check (proof in ('operator', 'provider', 'before', 'mail', 'vouch')),
  proved_at timestamptz,
  vouched_by uuid,
  -- Of a reset: the names of the passkeys that it removed, and when the holder acknowledged it.
  passkeys_removed text[] not null default '{}',
  acknowledged_at timestamptz,
  primary key (tenant_id, id),
  check ((by_issuer is null) = (by_subject is null)),
  check ((proof is null) = (proved_at is null)),
  check (by_subject is not null or proof is not null),
  check ((proof = 'vouch') = (vouched_by is not null)),
  foreign key (tenant_id, vouched_by) references members (tenant_id, id),
  foreign key (tenant_id, address_confirmed_by) references members (tenant_id, id)
);
create index account_links_of_account on account_links (issuer, subject);
create index account_links_by_person on account_links (by_issuer, by_subject) where by_subject is not null;

alter table account_links enable row level security;
alter table account_links force row level security;
create policy tenant_isolation on account_links using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
-- A guest's account was invited or reset in another tenant: whoever could have taken it there is the guest here, too.
create policy links_of_members on account_links for select using (
  exists (
    select 1 from members member
    where member.tenant_id = app_tenant() and member.issuer = account_links.issuer and member.subject = account_links.subject
  )
);

-- Whether the link went by mail only. A process of the version before shows its links.
alter table realm_sign_in_links add column mailed boolean not null default false;
alter table mails drop constraint mails_kind_check;
alter table mails add check (kind in ('approval_request', 'input_request', 'sign_in_link'));
