-- The usual course of an execution whose rows the process knows in advance (docs/decisions/0107-executions-known-in-advance.md): it is
-- stored, its first call begins, and its last call ends, each in one call from the process, with the time of the database's clock that the
-- process continues. All functions run with the rights of their caller. Those that return an outcome return 'done' after exactly the
-- promised rows, and anything else after writing nothing.

-- Stores a job that the process which enqueues it has taken, as the library writes one that it has enqueued and fetched, with the settings
-- of its queue.
create function take_job(job uuid, queue_name text, content jsonb, singleton text) returns void
language plpgsql as $$
begin
  insert into pgboss.job_common (id, name, data, priority, start_after, created_on, singleton_key, expire_seconds, deletion_seconds,
    keep_until, retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds, blocked, blocking,
    pending_dependencies, state, started_on, heartbeat_on)
  select job, queue.name, content, 0, at.now, at.now, singleton, queue.expire_seconds, queue.deletion_seconds,
    at.now + queue.retention_seconds * interval '1s', queue.retry_limit, queue.retry_delay, coalesce(queue.retry_backoff, false),
    queue.retry_delay_max, queue.policy, queue.dead_letter, queue.heartbeat_seconds, false, false, 0, 'active', at.now, at.now
  from pgboss.queue queue, (select pgboss.job_now() as now) at
  where queue.name = queue_name;
end
$$;

-- Stores an execution, with its first job if the process has taken that. 'repeated': the same member has used the key before.
create function start_execution(
  owner uuid, execution uuid, agent uuid, release uuid, place text, given bytea, key text, trace text, starter uuid, moment timestamptz,
  job uuid, queue_name text, job_content jsonb
) returns text
language plpgsql as $$
begin
  insert into executions
    (tenant_id, id, agent_id, release_id, environment, input, idempotency_key, trace_id, started_by, status, created_at)
  values (owner, execution, agent, release, place, given, key, trace, starter, 'queued', moment)
  on conflict (tenant_id, started_by, idempotency_key) where idempotency_key is not null do nothing;
  if not found then return 'repeated'; end if;
  if job is not null then perform take_job(job, queue_name, job_content, execution::text); end if;
  return 'done';
end
$$;

-- As change_execution, at this time.
create function change_execution_at(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_status text, new_output bytea, new_error bytea, starts boolean, ends boolean, new_deadline timestamptz,
  new_stop_reason text, confirms_stop boolean, while_allowed boolean, moment timestamptz
) returns boolean
language plpgsql as $$
declare
  written integer;
begin
  update executions changing set revision = revision + 1, event_count = event_count + cardinality(entry_types),
    status = coalesce(new_status, status), output = coalesce(new_output, output), error = coalesce(new_error, error),
    started_at = case when starts then moment else started_at end,
    ended_at = case when ends then moment else ended_at end,
    deadline_at = coalesce(new_deadline, deadline_at),
    stop_requested_at = case when new_stop_reason is null then stop_requested_at else moment end,
    stop_reason = coalesce(new_stop_reason, stop_reason),
    stop_confirmed_at = case when confirms_stop then moment else stop_confirmed_at end
  where tenant_id = owner and id = execution and revision = known_revision and ended_at is null
    and (not while_allowed or (deadline_at is null or deadline_at >= moment) and not exists (
      select 1 from agents agent where agent.tenant_id = owner and agent.id = changing.agent_id
        and agent.status in ('suspended', 'retired')))
  returning event_count into written;
  if not found then return false; end if;
  insert into execution_events (tenant_id, execution_id, seq, type, step_id, data, created_at)
  select owner, execution, written - cardinality(entry_types) + entry.place, entry.type, entry.step_id, entry.data, moment
  from unnest(entry_types, entry_steps, entry_data) with ordinality as entry (type, step_id, data, place);
  return true;
end
$$;

create or replace function change_execution(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_status text, new_output bytea, new_error bytea, starts boolean, ends boolean, new_deadline timestamptz,
  new_stop_reason text, confirms_stop boolean, while_allowed boolean
) returns boolean
language plpgsql as $$
begin
  return change_execution_at(
    owner, execution, known_revision, entry_types, entry_steps, entry_data, new_status, new_output, new_error, starts, ends,
    new_deadline, new_stop_reason, confirms_stop, while_allowed, clock_timestamp()
  );
end
$$;

-- As keep_step, at this time.
create function keep_step_at(owner uuid, execution uuid, step text, change jsonb, moment timestamptz) returns void
language plpgsql as $$
begin
  insert into execution_steps (tenant_id, execution_id, step_id, status, arguments, decision_id, approval_id, span_id, attempts,
    output, started_at, ended_at)
  values (owner, execution, step, change->>'status', (change->>'arguments')::bytea, (change->>'decisionId')::uuid,
    (change->>'approvalId')::uuid, change->>'spanId', coalesce((change->>'attempts')::integer, 0), (change->>'output')::bytea,
    case when (change->>'started')::boolean then moment end, case when (change->>'ended')::boolean then moment end)
  on conflict (tenant_id, execution_id, step_id) do update set status = excluded.status,
    arguments = coalesce(excluded.arguments, execution_steps.arguments),
    decision_id = coalesce(excluded.decision_id, execution_steps.decision_id),
    approval_id = coalesce(excluded.approval_id, execution_steps.approval_id),
    span_id = coalesce(excluded.span_id, execution_steps.span_id),
    attempts = coalesce((change->>'attempts')::integer, execution_steps.attempts),
    output = coalesce(excluded.output, execution_steps.output),
    started_at = coalesce(excluded.started_at, execution_steps.started_at),
    ended_at = coalesce(excluded.ended_at, execution_steps.ended_at);
end
$$;

create or replace function keep_step(owner uuid, execution uuid, step text, change jsonb) returns void
language plpgsql as $$
begin
  perform keep_step_at(owner, execution, step, change, clock_timestamp());
end
$$;

-- As record_decision, at this time.
create function record_decision_at(
  owner uuid, decision jsonb, asked bytea, if_current boolean, bindings uuid, moment timestamptz
) returns boolean
language plpgsql as $$
begin
  insert into policy_decisions (tenant_id, id, agent_id, release_id, execution_id, step_id, requested_by, environment,
    action, resource, effect, obligations, reasons, policies, shadow, request, input_digest, created_at)
  select owner, (decision->>'id')::uuid, (decision->>'agentId')::uuid, (decision->>'releaseId')::uuid,
    (decision->>'executionId')::uuid, decision->>'stepId', (decision->>'requestedBy')::uuid, decision->>'environment',
    decision->>'action', decision->>'resource', decision->>'effect', decision->'obligations', decision->'reasons',
    decision->'policies', nullif(decision->'shadow', 'null'), asked, decision->>'inputDigest', moment
  where not if_current
    or (select revision from policy_binding_revisions where tenant_id = owner) is not distinct from bindings;
  return found;
end
$$;

create or replace function record_decision(owner uuid, decision jsonb, asked bytea, if_current boolean, bindings uuid)
returns boolean
language plpgsql as $$
begin
  return record_decision_at(owner, decision, asked, if_current, bindings, now());
end
$$;

-- Begins an execution with its first call, unless something has happened to it since it was stored: as begin_call, for a new trace of this
-- day, whose changes are then `changes_after`. The agent and the release must allow it now.
create function begin_known_call(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_deadline timestamptz, trace text, begins jsonb, decision jsonb, asked bytea, bindings uuid, spans_made jsonb,
  step text, step_change jsonb, moment timestamptz, trace_day date, changes_after integer
) returns text
language plpgsql as $$
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
  begin
    perform start_trace(
      owner, trace, execution, (begins->>'agentId')::uuid, begins->>'name', (begins->>'startedAt')::timestamptz
    );
    if not record_decision_at(owner, decision, asked, true, bindings, moment) then
      raise exception using errcode = 'CS001', message = 'old bindings';
    end if;
    perform start_spans(owner, trace, spans_made);
    -- Telemetry with the same id may have come before.
    if not exists (
      select from traces t
      where t.tenant_id = owner and t.trace_id = trace and t.day = trace_day and t.change_count = changes_after
    ) then
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

-- Ends the last call of an execution, and the execution: as end_call, for a trace whose changes are then `changes_after`.
create function end_known_call(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_status text, new_output bytea, trace text, spans_ended jsonb, trace_ends_at timestamptz, step text, step_change jsonb,
  moment timestamptz, changes_after integer
) returns text
language plpgsql as $$
begin
  perform keep_step_at(owner, execution, step, step_change, moment);
  perform end_spans(owner, trace, spans_ended, trace_ends_at);
  -- Telemetry may have come since the call began.
  if not exists (
    select from traces t where t.tenant_id = owner and t.trace_id = trace and t.change_count = changes_after
  ) then
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

-- As before, with a code by which the process knows that another transaction has bound one of the objects in the meantime.
create or replace function bind_and_append(
  owner uuid, state_types text[], state_ids text[], state_forms smallint[], state_revisions integer[], state_digests bytea[],
  state_audit_ids uuid[], state_macs bytea[],
  moment timestamptz, audit_ids uuid[], types text[], bodies text[], digests bytea[], macs bytea[], leaf_tails text[],
  nonces bytea[], channels text[], topics text[]
) returns void
language plpgsql as $$
declare
  written integer;
begin
  insert into bound_states (tenant_id, type, id, form, revision, digest, audit_id, mac)
  select owner, state.* from unnest(
    state_types, state_ids, state_forms, state_revisions, state_digests, state_audit_ids, state_macs
  ) state
  on conflict (tenant_id, type, id) do update set form = excluded.form, revision = excluded.revision,
    digest = excluded.digest, audit_id = excluded.audit_id, mac = excluded.mac
  where bound_states.revision = excluded.revision - 1;
  get diagnostics written = row_count;
  if written <> cardinality(state_types) then
    raise exception using errcode = 'CS003',
      message = 'Another transaction has bound one of these objects in the meantime.';
  end if;
  perform append_keyed_records(
    owner, moment, audit_ids, types, bodies, digests, macs, leaf_tails, nonces, channels, topics
  );
end
$$;
