-- What the usual course of an execution costs PostgreSQL (docs/decisions/0119-executions-while-busy.md).

-- The notes of the triggers (0062) say which rows a transaction has to read before it binds them. A process that knows its rows reads none,
-- and its last statement, which writes them, sets app.rows_known for the rest of the transaction: then nothing is noted.
create or replace function bound.watch(target text, keys text[], content text[]) returns void
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
  $function$, target, key_columns, old_columns);
  perform bound.note(target);
end
$watch$;

-- The triggers of a bound table.
create function bound.note(target text) returns void
language plpgsql as $$
begin
  execute format($triggers$
    create or replace trigger note_inserted after insert on public.%1$I referencing new table as new_rows
      for each statement when (current_setting('app.rows_known', true) is distinct from 'on') execute function bound.%1$I();
    create or replace trigger note_updated after update on public.%1$I referencing old table as old_rows
      for each statement when (current_setting('app.rows_known', true) is distinct from 'on') execute function bound.%1$I();
    create or replace trigger note_deleted after delete on public.%1$I referencing old table as old_rows
      for each statement when (current_setting('app.rows_known', true) is distinct from 'on') execute function bound.%1$I();
  $triggers$, target);
end
$$;
revoke execute on function bound.note(text) from public;

do $$
declare
  target text;
begin
  for target in
    select relname from pg_trigger join pg_class on pg_class.oid = tgrelid
    where tgname = 'note_inserted' and relnamespace = 'public'::regnamespace and relname <> 'spans' order by relname
  loop
    perform bound.note(target);
  end loop;
end
$$;
create or replace trigger note_inserted after insert on spans for each row
  when (new.origin = 'execution' and current_setting('app.rows_known', true) is distinct from 'on')
  execute function bound.spans();
create or replace trigger note_updated after update on spans for each row
  when ((old.origin = 'execution' or new.origin = 'execution') and current_setting('app.rows_known', true) is distinct from 'on')
  execute function bound.spans();
create or replace trigger note_deleted after delete on spans for each row
  when (old.origin = 'execution' and current_setting('app.rows_known', true) is distinct from 'on')
  execute function bound.spans();

-- Stores a job as the library does: one that waits, or one that the process which enqueues it has `taken`.
create function store_job(job uuid, queue_name text, content jsonb, singleton text, taken boolean) returns void
language plpgsql as $$
begin
  insert into pgboss.job_common (id, name, data, priority, start_after, created_on, singleton_key, group_id, expire_seconds,
    deletion_seconds, keep_until, retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds,
    blocked, blocking, pending_dependencies, state, started_on, heartbeat_on)
  select job, queue.name, content, 0, at.now, at.now, singleton, content ->> 'tenantId', queue.expire_seconds, queue.deletion_seconds,
    at.now + queue.retention_seconds * interval '1s', queue.retry_limit, queue.retry_delay, coalesce(queue.retry_backoff, false),
    queue.retry_delay_max, queue.policy, queue.dead_letter, queue.heartbeat_seconds, false, false, 0,
    case when taken then 'active' else 'created' end::pgboss.job_state, case when taken then at.now end, case when taken then at.now end
  from pgboss.queue queue, (select pgboss.job_now() as now) at
  where queue.name = queue_name;
end
$$;

create or replace function take_job(job uuid, queue_name text, content jsonb, singleton text) returns void
language plpgsql as $$
begin
  perform store_job(job, queue_name, content, singleton, true);
end
$$;

-- Ends a job that this attempt runs, as the library does. False if it is no longer this attempt's. The library's statement takes lists
-- of jobs, so PostgreSQL plans it for each, which took four times as long as the rest.
create function end_job(queue_name text, job uuid, attempt integer) returns boolean
language plpgsql as $$
begin
  update pgboss.job_common set completed_on = pgboss.job_now(), state = 'completed', output = null
  where name = queue_name and id = job and state = 'active' and retry_count = attempt;
  return found;
end
$$;

-- As before, with a first job that waits in the queue, too.
create function start_execution(
  owner uuid, execution uuid, agent uuid, release uuid, place text, given bytea, key text, trace text, starter uuid, moment timestamptz,
  job uuid, queue_name text, job_content jsonb, taken boolean
) returns text
language plpgsql as $$
begin
  insert into executions
    (tenant_id, id, agent_id, release_id, environment, input, idempotency_key, trace_id, started_by, status, created_at)
  values (owner, execution, agent, release, place, given, key, trace, starter, 'queued', moment)
  on conflict (tenant_id, started_by, idempotency_key) where idempotency_key is not null do nothing;
  if not found then return 'repeated'; end if;
  if job is not null then perform store_job(job, queue_name, job_content, execution::text, taken); end if;
  return 'done';
end
$$;

create or replace function start_execution(
  owner uuid, execution uuid, agent uuid, release uuid, place text, given bytea, key text, trace text, starter uuid, moment timestamptz,
  job uuid, queue_name text, job_content jsonb
) returns text
language plpgsql as $$
begin
  return start_execution(
    owner, execution, agent, release, place, given, key, trace, starter, moment, job, queue_name, job_content, true
  );
end
$$;

-- As before, with one statement for the trace and one for all spans.
create or replace function begin_known_call(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_deadline timestamptz, trace text, begins jsonb, decision jsonb, asked bytea, bindings uuid, spans_made jsonb,
  step text, step_change jsonb, moment timestamptz, trace_day date, changes_after integer
) returns text
language plpgsql as $$
declare
  span jsonb;
  failed integer := 0;
  found_kinds text[] := '{}';
  found_names text := '';
  today date;
  written integer;
begin
  if not exists (
    select from executions e
    join agents agent on agent.tenant_id = owner and agent.id = e.agent_id
    join releases release on release.tenant_id = owner and release.id = e.release_id
    where e.tenant_id = owner and e.id = execution and e.parked_at is null and e.stop_requested_at is null
      and agent.status not in ('suspended', 'retired') and release.status in ('active', 'superseded')
  ) then
    return 'not allowed';
  end if;
  for place in 0 .. jsonb_array_length(spans_made) - 1 loop
    span := spans_made->place;
    if span->>'status' = 'error' then failed := failed + 1; end if;
    if not span->>'kind' = any(found_kinds) then found_kinds := found_kinds || (span->>'kind'); end if;
    if position(lower(span->>'name') in found_names) = 0 then
      found_names := left(found_names || e'\n' || lower(span->>'name'), 4000);
    end if;
  end loop;
  begin
    -- Telemetry with the same id may have come before.
    insert into traces (tenant_id, trace_id, execution_id, agent_id, name, started_at, change_count, span_count, error_count, kinds, search)
    values (owner, trace, execution, (begins->>'agentId')::uuid, begins->>'name', (begins->>'startedAt')::timestamptz, changes_after,
      jsonb_array_length(spans_made), failed, found_kinds, found_names)
    on conflict (tenant_id, trace_id) do nothing
    returning day into today;
    if today is distinct from trace_day then
      raise exception using errcode = 'CS001', message = 'another trace';
    end if;
    if not record_decision_at(owner, decision, asked, true, bindings, moment) then
      raise exception using errcode = 'CS001', message = 'old bindings';
    end if;
    -- A span takes the number of a change for its start, and another one for its end.
    insert into spans (tenant_id, day, trace_id, span_id, parent_span_id, origin, name, kind, status, attributes, sealed,
      started_at, start_change, ended_at, end_change)
    select owner, trace_day, trace, made."spanId", made."parentSpanId", 'execution', made.name, made.kind, made.status, made.attributes,
      case when made.sealed is not null then array[made.sealed] end, made."startedAt",
      last_change - case when made."endedAt" is null then 0 else 1 end, made."endedAt",
      case when made."endedAt" is not null then last_change end
    from (
      select one.*, sum(case when one."endedAt" is null then 1 else 2 end) over (order by one.place)::integer as last_change
      from rows from (jsonb_to_recordset(spans_made) as ("spanId" text, "parentSpanId" text, name text, kind text, status text,
        attributes jsonb, sealed bytea, "startedAt" timestamptz, "endedAt" timestamptz)) with ordinality
        as one ("spanId", "parentSpanId", name, kind, status, attributes, sealed, "startedAt", "endedAt", place)
    ) made
    on conflict (tenant_id, day, trace_id, span_id) do nothing;
    get diagnostics written = row_count;
    if written <> jsonb_array_length(spans_made) then
      raise exception using errcode = 'CS001', message = 'another trace';
    end if;
    if not change_execution_at(
      owner, execution, known_revision, entry_types, entry_steps, entry_data, 'running', null, null, true, false,
      new_deadline, null, false, false, moment
    ) then
      raise exception using errcode = 'CS001', message = 'changed';
    end if;
    perform keep_step_at(owner, execution, step, step_change, moment);
  exception when sqlstate 'CS001' then
    return sqlerrm;
  end;
  return 'done';
end
$$;

create or replace function end_known_call(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_status text, new_output bytea, trace text, spans_ended jsonb, trace_ends_at timestamptz, step text, step_change jsonb,
  moment timestamptz, changes_after integer
) returns text
language plpgsql as $$
declare
  -- Each end of a span is a change, and so is the end of the trace.
  many constant integer := jsonb_array_length(spans_ended);
  first_change constant integer := changes_after - many;
  ids text[] := '{}';
  failed integer := 0;
  trace_day date;
  written integer;
begin
  for place in 0 .. many - 1 loop
    ids := ids || (spans_ended->place->>'spanId');
    if spans_ended->place->>'status' = 'error' then failed := failed + 1; end if;
  end loop;
  perform keep_step_at(owner, execution, step, step_change, moment);
  -- Telemetry may have come since the call began.
  update traces set change_count = changes_after, error_count = error_count + failed, ended_at = trace_ends_at
  where tenant_id = owner and trace_id = trace and change_count = first_change - 1 and ended_at is null
  returning day into trace_day;
  if not found then
    raise exception using errcode = 'CS001', message = 'another trace';
  end if;
  -- By their ids, so that they are found by their key whatever PostgreSQL knows about the table.
  update spans set status = spans_ended->(array_position(ids, span_id) - 1)->>'status',
    attributes = attributes || (spans_ended->(array_position(ids, span_id) - 1)->'attributes'),
    sealed = case when spans_ended->(array_position(ids, span_id) - 1)->>'sealed' is null then sealed
      else coalesce(sealed, '{}') || (spans_ended->(array_position(ids, span_id) - 1)->>'sealed')::bytea end,
    ended_at = (spans_ended->(array_position(ids, span_id) - 1)->>'endedAt')::timestamptz,
    end_change = first_change + array_position(ids, span_id) - 1
  where tenant_id = owner and day = trace_day and trace_id = trace and span_id = any(ids) and ended_at is null;
  get diagnostics written = row_count;
  if written <> many then
    raise exception using errcode = 'CS001', message = 'another trace';
  end if;
  if not change_execution_at(
    owner, execution, known_revision, entry_types, entry_steps, entry_data, new_status, new_output, null, false, true, null,
    null, false, true, moment
  ) then
    raise exception using errcode = 'CS001', message = 'changed';
  end if;
  return 'done';
exception when sqlstate 'CS001' then
  return sqlerrm;
end
$$;
