-- Rows of evidence are bound to the audit log: the record of each transition contains a salted digest of the row afterwards
-- (decision 0036). The process computes digests and macs; the database notes which rows a transaction touches.

-- The last committed state of each object. `mac` covers the other columns under the tenant's key, so that a row that the
-- server did not write is recognised. `digest` is null once the object was deleted.
create table bound_states (
  tenant_id uuid not null references tenants,
  type text not null,
  -- The key of the row without the tenant, joined with "/". In byte order, so that the objects below a parent are one range.
  id text collate "C" not null,
  -- The version of the list of columns that the digest covers (server/kernel/bound/types.ts).
  form smallint not null,
  revision integer not null check (revision > 0),
  digest bytea check (octet_length(digest) = 32),
  audit_id uuid not null,
  mac bytea not null,
  primary key (tenant_id, type, id)
);

-- Tenants whose rows from before this version are all bound: an unbound row is tampering from then on.
create table bound_adoptions (
  tenant_id uuid primary key references tenants,
  audit_id uuid not null,
  ended_at timestamptz not null,
  mac bytea not null
);

do $$
declare
  target text;
begin
  foreach target in array array['bound_states', 'bound_adoptions'] loop
    execute format('alter table %I enable row level security', target);
    execute format('alter table %I force row level security', target);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', target);
  end loop;
end
$$;

-- Identifies an encrypted value without its key: the commitment of the formats that have one (4, and 5 of a removed value),
-- the SHA-256 of the stored bytes for older formats.
create function content_commitment(stored bytea) returns jsonb
language sql immutable strict parallel safe as $$
  select case
    when substring(stored from 1 for 1) = '\x04' and octet_length(stored) >= 37
      then to_jsonb(rtrim(translate(encode(substring(stored from 6 for 32), 'base64'), '+/', '-_'), '='))
    when substring(stored from 1 for 1) = '\x05' and octet_length(stored) = 33
      then to_jsonb(rtrim(translate(encode(substring(stored from 2 for 32), 'base64'), '+/', '-_'), '='))
    else jsonb_build_object('ciphertext', encode(sha256(stored), 'hex'))
  end
$$;

-- One trigger function per table, generated, because a statement on a transition table names its columns. Each one appends
-- to app.touched_<table>, a setting of the transaction: the keys of inserted rows, and changed and deleted rows as they were,
-- so that the process can check them against bound_states. Content is noted as its commitment.
create schema bound;

create function bound.watch(target text, keys text[], content text[]) returns void
language plpgsql as $watch$
declare
  old_columns text;
  key_columns text;
begin
  select string_agg(case when attname = any(content) then format('public.content_commitment(%1$I) as %1$I', attname)
      else quote_ident(attname) end, ', ' order by attnum)
    into strict old_columns
  from pg_attribute where attrelid = format('public.%I', target)::regclass and attnum > 0 and not attisdropped
    and attname <> 'tenant_id' and attgenerated = '';
  select string_agg(format('r.%I::text', name), ', ' order by place) into strict key_columns
  from unnest(keys) with ordinality as key (name, place);
  execute format($function$
    create or replace function bound.%1$I() returns trigger language plpgsql as $body$
    declare
      noted text;
    begin
      if tg_op = 'INSERT' then
        select string_agg(jsonb_build_object('k', jsonb_build_array(%2$s))::text || ',', '') into noted from new_rows r;
      else
        select string_agg(jsonb_build_object('k', jsonb_build_array(%2$s), 'o', to_jsonb(r))::text || ',', '') into noted
        from (select %3$s from old_rows) r;
      end if;
      if noted is not null then
        perform set_config('app.touched_%1$s', coalesce(current_setting('app.touched_%1$s', true), '') || noted, true);
      end if;
      return null;
    end
    $body$;
    drop trigger if exists note_inserted on public.%1$I;
    drop trigger if exists note_updated on public.%1$I;
    drop trigger if exists note_deleted on public.%1$I;
    create trigger note_inserted after insert on public.%1$I referencing new table as new_rows
      for each statement execute function bound.%1$I();
    create trigger note_updated after update on public.%1$I referencing old table as old_rows
      for each statement execute function bound.%1$I();
    create trigger note_deleted after delete on public.%1$I referencing old table as old_rows
      for each statement execute function bound.%1$I();
  $function$, target, key_columns, old_columns);
end
$watch$;
-- Only migrations call it: one that adds a column to a bound table calls it again.
revoke execute on function bound.watch(text, text[], text[]) from public;

select bound.watch('access_changes', array['id'], '{}');
select bound.watch('agent_owners', array['agent_id', 'member_id'], '{}');
select bound.watch('agent_versions', array['id'], '{}');
select bound.watch('agents', array['id'], '{}');
select bound.watch('approval_votes', array['approval_id', 'id'], '{}');
select bound.watch('approvals', array['id'], array['payload', 'presentation']);
select bound.watch('approver_delegations', array['id'], '{}');
select bound.watch('approver_group_members', array['group_id', 'member_id'], '{}');
select bound.watch('approver_groups', array['id'], '{}');
select bound.watch('erased_content', array['resource', 'resource_id', 'id'], '{}');
select bound.watch('erasures', array['id'], array['subject']);
select bound.watch('execution_events', array['execution_id', 'seq'], array['data']);
select bound.watch('execution_steps', array['execution_id', 'step_id'], array['arguments', 'output']);
select bound.watch('executions', array['id'], array['input', 'output', 'error']);
select bound.watch('file_uses', array['file_id', 'execution_id', 'role'], '{}');
select bound.watch('files', array['id'], array['name']);
select bound.watch('input_events', array['id'], array['data', 'attributes']);
select bound.watch('input_resolutions', array['id'], array['recipient']);
select bound.watch('input_waits', array['id'], '{}');
select bound.watch('legal_holds', array['id'], '{}');
select bound.watch('members', array['id'], '{}');
select bound.watch('passkeys', array['id'], '{}');
select bound.watch('policies', array['id'], '{}');
select bound.watch('policy_bindings', array['id'], '{}');
select bound.watch('policy_decisions', array['id'], array['request']);
select bound.watch('policy_versions', array['policy_id', 'version'], '{}');
select bound.watch('releases', array['id'], '{}');
select bound.watch('trace_reveals', array['audit_id'], '{}');
select bound.watch('unmask_grants', array['id'], '{}');
