-- What the tokens of external issuers and SCIM say about members (docs/decisions/0091-roles-and-groups-from-a-provider.md).

-- The newest token of a member that an external issuer has issued: when, and the groups that it names, mapped or not, which show who
-- would get a seat by a new mapping. No evidence: it changes with each token, and gives no one a seat.
create table member_tokens (
  tenant_id uuid not null,
  member_id uuid not null,
  issued_at timestamptz not null,
  groups text[] not null default '{}',
  primary key (tenant_id, member_id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);

-- A group of an issuer, by the name that its tokens and SCIM use, and the approver group whose members it names.
create table group_mappings (
  tenant_id uuid not null references tenants,
  id uuid not null,
  group_id uuid not null,
  -- As members record it: only members of this issuer get a seat.
  issuer text not null,
  name text not null check (length(name) between 1 and 256),
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, group_id, issuer, name),
  foreign key (tenant_id, group_id) references approver_groups (tenant_id, id)
);
create index group_mappings_by_name on group_mappings (tenant_id, issuer, name);

-- A group of the provider that SCIM, or the member's newest token, names for a member. A token counts for 24 hours after it was issued
-- (member_tokens), SCIM until it says otherwise.
create table mapped_members (
  tenant_id uuid not null references tenants,
  id uuid not null,
  member_id uuid not null,
  source text not null check (source in ('token', 'scim')),
  name text not null check (length(name) between 1 and 256),
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, member_id, source, name),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index mapped_members_by_name on mapped_members (tenant_id, name);

do $$
declare t text;
begin
  foreach t in array array['member_tokens', 'group_mappings', 'mapped_members']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;

select bound.watch('group_mappings', array['id'], '{}');
select bound.watch('mapped_members', array['id'], '{}');

-- admit() of 0051, which also says when the member's newest token was issued. admit() stays, for processes of earlier versions.
create function admit_caller(
  wanted_external_id text, wanted_id uuid, principal_issuer text, principal_subject text,
  family_tenant_external_id text, family text
)
returns table (
  tenant_id uuid, slug text, external_id text, name text, tenant_display_name text, branding jsonb, settings jsonb,
  member_id uuid, kind text, username text, display_name text, roles text[], status text,
  tokens_not_before timestamptz, family_ended boolean, token_issued_at timestamptz
)
language plpgsql as $$
begin
  select a.tenant_id, a.slug, a.external_id, a.name, a.tenant_display_name, a.branding, a.settings, a.member_id, a.kind,
    a.username, a.display_name, a.roles, a.status, a.tokens_not_before, a.family_ended
  into tenant_id, slug, external_id, name, tenant_display_name, branding, settings, member_id, kind,
    username, display_name, roles, status, tokens_not_before, family_ended
  from admit(wanted_external_id, wanted_id, principal_issuer, principal_subject, family_tenant_external_id, family) a;
  if not found then return; end if;
  select t.issued_at into token_issued_at from member_tokens t
  where t.tenant_id = admit_caller.tenant_id and t.member_id = admit_caller.member_id;
  return next;
end
$$;

-- Open sockets and streams look again at what their tokens give when the tenant reads roles otherwise.
create function notify_tenant() returns trigger language plpgsql as $$
begin
  perform pg_notify('tenant', new.id::text);
  return null;
end $$;
create trigger roles_read_otherwise after update of settings on tenants for each row
  when (
    old.settings -> 'rolesFrom' is distinct from new.settings -> 'rolesFrom'
    or old.settings -> 'roleClaim' is distinct from new.settings -> 'roleClaim'
    or old.settings -> 'roleMapping' is distinct from new.settings -> 'roleMapping'
  )
  execute function notify_tenant();

-- A standing grant ends with the seat of its people in the group, as in 0083, if no other seat of theirs in it remains.
create function lapse_grants_of_mapped() returns trigger language plpgsql as $$
begin
  update standing_grants g set status = 'lapsed', lapse = 'member', ended_at = clock_timestamp(), revision = g.revision + 1
  from members m
  where g.tenant_id = old.tenant_id and g.status in ('proposed', 'active')
    and m.tenant_id = g.tenant_id and m.id in (g.proposed_by, g.approved_by)
    and case tg_table_name
      when 'mapped_members' then m.id = (to_jsonb(old) ->> 'member_id')::uuid and exists (
        select from group_mappings p
        where p.tenant_id = g.tenant_id and p.group_id = g.group_id and p.issuer = m.issuer and p.name = old.name)
      else g.group_id = (to_jsonb(old) ->> 'group_id')::uuid and m.issuer = to_jsonb(old) ->> 'issuer' and exists (
        select from mapped_members n
        where n.tenant_id = g.tenant_id and n.member_id = m.id and n.name = old.name)
      end
    and not exists (
      select from approver_group_members s
      where s.tenant_id = g.tenant_id and s.group_id = g.group_id and s.member_id = m.id)
    and not exists (
      select from group_mappings p join mapped_members n on n.tenant_id = p.tenant_id and n.name = p.name
      where p.tenant_id = g.tenant_id and p.group_id = g.group_id and p.issuer = m.issuer and n.member_id = m.id);
  return null;
end
$$;
create trigger lapse_grants after delete on mapped_members for each row execute function lapse_grants_of_mapped();
create trigger lapse_grants after delete on group_mappings for each row execute function lapse_grants_of_mapped();
