-- The language in which a person reads the console and their mails, if they chose one: a preference, and no evidence. A tenant's
-- default is a part of its branding.
create table member_languages (
  tenant_id uuid not null references tenants,
  member_id uuid not null,
  language text not null check (language in ('en', 'de')),
  primary key (tenant_id, member_id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);

alter table member_languages enable row level security;
alter table member_languages force row level security;
create policy tenant_isolation on member_languages using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
