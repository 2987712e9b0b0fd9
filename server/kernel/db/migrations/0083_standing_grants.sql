-- Standing grants: calls like an approved one that need no person for a time (docs/decisions/0072-standing-grants.md). What a call
-- must be like is in the payload of the request `approval_id`, encrypted; a grant without it matches nothing.
create table standing_grants (
  tenant_id uuid not null references tenants,
  id uuid not null,
  -- The approved call that it was proposed from, and the request by which a second person decides it.
  source_id uuid not null,
  approval_id uuid not null,
  agent_id uuid not null,
  release_id uuid not null,
  environment text not null,
  resource text not null,
  -- [{"policyId", "version", "digest", …}]: those that required the approval of the source.
  policies jsonb not null,
  group_id uuid not null,
  status text not null default 'proposed'
    check (status in ('proposed', 'active', 'used_up', 'expired', 'revoked', 'lapsed', 'rejected', 'withdrawn')),
  -- Why it lapsed.
  lapse text check (lapse in ('agent', 'release', 'policy', 'member')),
  proposed_by uuid not null,
  approved_by uuid,
  max_uses integer not null check (max_uses between 1 and 1000),
  uses integer not null default 0 check (uses between 0 and max_uses),
  -- In millionths of the currency; null without a ceiling.
  currency text,
  max_micros bigint check (max_micros > 0),
  used_micros bigint not null default 0 check (used_micros >= 0),
  until_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  ended_at timestamptz,
  revision integer not null default 1,
  primary key (tenant_id, id),
  foreign key (tenant_id, source_id) references approvals (tenant_id, id),
  foreign key (tenant_id, approval_id) references approvals (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  check ((currency is null) = (max_micros is null)),
  check (max_micros is null or used_micros <= max_micros),
  check (until_at <= created_at + interval '90 days 1 hour')
);
create unique index standing_grants_by_source on standing_grants (tenant_id, source_id) where status in ('proposed', 'active');
create index standing_grants_open on standing_grants (tenant_id, agent_id, environment, resource)
  where status in ('proposed', 'active');
create index standing_grants_by_agent on standing_grants (tenant_id, agent_id, id);
create index standing_grants_by_status on standing_grants (tenant_id, status, id);

-- A call that ran by a grant.
create table standing_grant_uses (
  tenant_id uuid not null references tenants,
  grant_id uuid not null,
  number integer not null check (number > 0),
  decision_id uuid not null,
  -- Null for an agent elsewhere.
  execution_id uuid,
  -- Null without a ceiling.
  micros bigint,
  audit_id uuid not null,
  used_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, grant_id, number),
  foreign key (tenant_id, grant_id) references standing_grants (tenant_id, id)
);

alter table standing_grants enable row level security;
alter table standing_grants force row level security;
create policy tenant_isolation on standing_grants using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
alter table standing_grant_uses enable row level security;
alter table standing_grant_uses force row level security;
create policy tenant_isolation on standing_grant_uses using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());

select bound.watch('standing_grants', array['id'], '{}');
select bound.watch('standing_grant_uses', array['grant_id', 'number'], '{}');

-- A grant ends with what it stands on, for good: an agent that is resumed, or a role that is given back, does not revive it.
-- The database ends it, so that no way of changing these rows can forget to.
create function lapse_standing_grants() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'agents' then
    update standing_grants set status = 'lapsed', lapse = 'agent', ended_at = clock_timestamp(), revision = revision + 1
    where tenant_id = new.tenant_id and agent_id = new.id and status in ('proposed', 'active');
  elsif tg_table_name = 'releases' then
    update standing_grants set status = 'lapsed', lapse = 'release', ended_at = clock_timestamp(), revision = revision + 1
    where tenant_id = new.tenant_id and release_id = new.id and status in ('proposed', 'active');
  elsif tg_table_name = 'policy_bindings' then
    -- One that begins is asked from now on, too.
    update standing_grants g set status = 'lapsed', lapse = 'policy', ended_at = clock_timestamp(), revision = g.revision + 1
    where g.tenant_id = new.tenant_id and g.environment = new.environment and g.status in ('proposed', 'active')
      and (g.agent_id = new.agent_id or (new.agent_id is null and exists (
        select from releases r join agent_versions v on v.tenant_id = r.tenant_id and v.id = r.agent_version_id
        where r.tenant_id = g.tenant_id and r.id = g.release_id and v.manifest -> 'metadata' -> 'labels' @> new.selector)));
  elsif tg_table_name = 'members' then
    update standing_grants set status = 'lapsed', lapse = 'member', ended_at = clock_timestamp(), revision = revision + 1
    where tenant_id = new.tenant_id and (proposed_by = new.id or approved_by = new.id) and status in ('proposed', 'active');
  else
    update standing_grants set status = 'lapsed', lapse = 'member', ended_at = clock_timestamp(), revision = revision + 1
    where tenant_id = old.tenant_id and group_id = old.group_id and (proposed_by = old.member_id or approved_by = old.member_id)
      and status in ('proposed', 'active');
  end if;
  return null;
end
$$;
create trigger lapse_grants after update of status on agents for each row
  when (new.status in ('suspended', 'retired') and old.status <> new.status) execute function lapse_standing_grants();
create trigger lapse_grants after update of status on releases for each row
  when (old.status = 'active' and new.status <> 'active') execute function lapse_standing_grants();
create trigger lapse_grants after update of status on policy_bindings for each row
  when (old.status <> new.status and 'active' in (old.status, new.status) and new.mode = 'enforce') execute function lapse_standing_grants();
-- The roles that may decide (lib/permissions.ts; a test compares them).
create trigger lapse_grants after update of roles, status on members for each row
  when ((new.status <> 'active' or not new.roles && array['approver', 'decisions:write'])
    and (old.status = 'active' and old.roles && array['approver', 'decisions:write'])) execute function lapse_standing_grants();
create trigger lapse_grants after delete on approver_group_members for each row execute function lapse_standing_grants();
