-- Typed tool arguments, bindings by label, shadow decisions, and what makes a recorded decision computable again.

-- ---------------------------------------------------------------- tool schemas

-- What a tool's arguments look like, by the digest of its description: kept for ever, because decisions were made by it.
create table tool_schemas (
  tenant_id uuid not null references tenants,
  server text not null,
  name text not null,
  digest text not null,
  input_schema jsonb not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, server, name, digest)
);

-- The migration is the owner's, for whom row-level security is forced: each tenant is bound in turn.
do $$
declare t uuid;
begin
  for t in select id from tenants loop
    perform set_config('app.tenant_id', t::text, true);
    insert into tool_schemas (tenant_id, server, name, digest, input_schema)
    select release.tenant_id, tool ->> 'server', tool ->> 'name', tool ->> 'digest', tool -> 'inputSchema'
    from releases as release, jsonb_array_elements(release.content -> 'tools') as tool
    where release.tenant_id = t
    on conflict do nothing;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;

-- ---------------------------------------------------------------- bindings

-- A binding is for one agent, or for all whose manifest carries these labels.
alter table policy_bindings alter column agent_id drop not null;
alter table policy_bindings add column selector jsonb;
alter table policy_bindings add check ((agent_id is null) <> (selector is null));

-- A version in shadow stands beside the one that is enforced: it must never take its place.
drop index policy_bindings_one_active;
create unique index policy_bindings_one_active on policy_bindings
  (tenant_id, coalesce(agent_id::text, selector::text), environment, policy_id, mode) where status = 'active';
create index policy_bindings_by_place on policy_bindings (tenant_id, environment, status, agent_id);
create index policy_bindings_by_policy on policy_bindings (tenant_id, policy_id, id desc);

-- Names the active bindings of a tenant as they are now. Random, so that a number that was rolled back never comes again.
create table policy_binding_revisions (
  tenant_id uuid primary key references tenants,
  revision uuid not null
);

-- A trigger, because what a decision is made by must not depend on which code path changed a binding.
create function renew_policy_binding_revision() returns trigger language plpgsql as $$
begin
  insert into policy_binding_revisions (tenant_id, revision) values (new.tenant_id, gen_random_uuid())
    on conflict (tenant_id) do update set revision = excluded.revision;
  return null;
end $$;
create trigger policy_bindings_changed after insert or update of status on policy_bindings for each row
  when (new.status <> 'proposed') execute function renew_policy_binding_revision();

-- ---------------------------------------------------------------- decisions

-- What the bindings in shadow would have made of it; null where there are none.
alter table policy_decisions add column shadow jsonb;
-- Who asked, where it was no execution of ours.
alter table policy_decisions add column requested_by uuid;
-- By agent and time: ids begin with the time.
create index policy_decisions_by_agent on policy_decisions (tenant_id, agent_id, environment, id);

-- ---------------------------------------------------------------- row-level security

do $$
declare t text;
begin
  foreach t in array array['tool_schemas', 'policy_binding_revisions']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
