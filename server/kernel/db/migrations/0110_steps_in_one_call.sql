-- What always goes together when an execution makes a call and when the call has ended, each in one call from the process
-- (docs/decisions/0101-one-statement-for-a-step.md). The functions hold only what belongs to rows: whether a call may be made, and what its
-- records contain, the process decides and hands in. All run with the rights of their caller, so that row-level security and the list of
-- grants apply, and read the clock of the caller's search_path. Parts that are JSON have bytes as text, "\x…".

-- False if the trace exists and belongs to an execution; a trace of telemetry becomes the trace of the execution.
create function start_trace(owner uuid, trace text, execution uuid, agent uuid, title text, starts_at timestamptz) returns boolean
language plpgsql as $$
begin
  insert into traces (tenant_id, trace_id, execution_id, agent_id, name, started_at)
  values (owner, trace, execution, agent, title, starts_at)
  on conflict (tenant_id, trace_id) do update set execution_id = excluded.execution_id, agent_id = excluded.agent_id,
    name = excluded.name, started_at = excluded.started_at, ended_at = null
  where traces.execution_id is null and excluded.execution_id is not null;
  return found;
end
$$;

-- Starts spans of one trace, in order; `made` is an array of {spanId, parentSpanId, name, kind, status, attributes, sealed, startedAt,
-- endedAt}. The trace is locked first, so that the numbers of its changes follow the order of the commits. Does nothing for a span
-- that the execution has already started. Its id can be derived from the trace id: a span of telemetry that has taken the id is
-- replaced, so its leaf in its batch can no longer be recomputed.
create function start_spans(owner uuid, trace text, made jsonb, out known boolean, out changed boolean)
language plpgsql as $$
declare
  held record;
  span jsonb;
  added integer := 0;
  failed integer := 0;
begin
  changed := false;
  select day, change_count, kinds, search into held from traces where tenant_id = owner and trace_id = trace for no key update;
  known := found;
  if not known then return; end if;
  for span in select value from jsonb_array_elements(made) loop
    insert into spans (tenant_id, day, trace_id, span_id, parent_span_id, origin, name, kind, status, attributes, sealed,
      started_at, start_change, ended_at, end_change)
    values (owner, held.day, trace, span->>'spanId', span->>'parentSpanId', 'execution', span->>'name', span->>'kind',
      span->>'status', span->'attributes', case when span->>'sealed' is not null then array[(span->>'sealed')::bytea] end,
      (span->>'startedAt')::timestamptz, held.change_count + 1, (span->>'endedAt')::timestamptz,
      case when span->>'endedAt' is not null then held.change_count + 2 end)
    on conflict (tenant_id, day, trace_id, span_id) do update set origin = excluded.origin, name = excluded.name,
      parent_span_id = excluded.parent_span_id, kind = excluded.kind, status = excluded.status, status_message = null,
      attributes = excluded.attributes, sealed = excluded.sealed, events = '[]', links = '[]', facts = '{}', fingerprint = null,
      audit_id = null, batch_index = null, resource_index = null, started_at = excluded.started_at,
      ended_at = excluded.ended_at, start_change = excluded.start_change, end_change = excluded.end_change
    where spans.origin = 'telemetry';
    if found then
      changed := true;
      added := added + 1;
      held.change_count := held.change_count + case when span->>'endedAt' is null then 1 else 2 end;
      if span->>'status' = 'error' then failed := failed + 1; end if;
      if not span->>'kind' = any(held.kinds) then held.kinds := held.kinds || (span->>'kind'); end if;
      if position(lower(span->>'name') in held.search) = 0 then
        held.search := left(held.search || e'\n' || lower(span->>'name'), 4000);
      end if;
    end if;
  end loop;
  if changed then
    update traces set change_count = held.change_count, span_count = span_count + added, error_count = error_count + failed,
      kinds = held.kinds, search = held.search
    where tenant_id = owner and trace_id = trace;
  end if;
end
$$;

-- Ends spans of one trace, in order, and the trace itself if `trace_ends_at` is given; `ended` is an array of {spanId, status,
-- attributes, sealed, endedAt}. Does nothing for a span that does not exist or has ended.
create function end_spans(
  owner uuid, trace text, ended jsonb, trace_ends_at timestamptz, out known boolean, out changed boolean
)
language plpgsql as $$
declare
  held record;
  span jsonb;
  failed integer := 0;
begin
  changed := false;
  select day, change_count, ended_at into held from traces where tenant_id = owner and trace_id = trace for no key update;
  known := found;
  if not known then return; end if;
  for span in select value from jsonb_array_elements(ended) loop
    update spans set status = span->>'status', attributes = attributes || (span->'attributes'),
      sealed = case when span->>'sealed' is null then sealed else coalesce(sealed, '{}') || (span->>'sealed')::bytea end,
      ended_at = (span->>'endedAt')::timestamptz, end_change = held.change_count + 1
    where tenant_id = owner and day = held.day and trace_id = trace and span_id = span->>'spanId' and ended_at is null;
    if found then
      changed := true;
      held.change_count := held.change_count + 1;
      if span->>'status' = 'error' then failed := failed + 1; end if;
    end if;
  end loop;
  if trace_ends_at is not null and held.ended_at is null then
    changed := true;
    held.change_count := held.change_count + 1;
    held.ended_at := trace_ends_at;
  end if;
  if changed then
    update traces set change_count = held.change_count, error_count = error_count + failed, ended_at = held.ended_at
    where tenant_id = owner and trace_id = trace;
  end if;
end
$$;

-- The only way to change an execution: a compare-and-set on the revision, and the entries of its journal. The fence guards both.
-- `while_allowed`: only if the agent may still run and the time has not run out.
create function change_execution(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_status text, new_output bytea, new_error bytea, starts boolean, ends boolean, new_deadline timestamptz,
  new_stop_reason text, confirms_stop boolean, while_allowed boolean
) returns boolean
language plpgsql as $$
declare
  written integer;
begin
  update executions changing set revision = revision + 1, event_count = event_count + cardinality(entry_types),
    status = coalesce(new_status, status), output = coalesce(new_output, output), error = coalesce(new_error, error),
    started_at = case when starts then clock_timestamp() else started_at end,
    ended_at = case when ends then clock_timestamp() else ended_at end,
    deadline_at = coalesce(new_deadline, deadline_at),
    stop_requested_at = case when new_stop_reason is null then stop_requested_at else clock_timestamp() end,
    stop_reason = coalesce(new_stop_reason, stop_reason),
    stop_confirmed_at = case when confirms_stop then clock_timestamp() else stop_confirmed_at end
  where tenant_id = owner and id = execution and revision = known_revision and ended_at is null
    and (not while_allowed or (deadline_at is null or deadline_at >= clock_timestamp()) and not exists (
      select 1 from agents agent where agent.tenant_id = owner and agent.id = changing.agent_id
        and agent.status in ('suspended', 'retired')))
  returning event_count into written;
  if not found then return false; end if;
  insert into execution_events (tenant_id, execution_id, seq, type, step_id, data, created_at)
  select owner, execution, written - cardinality(entry_types) + entry.place, entry.type, entry.step_id, entry.data, clock_timestamp()
  from unnest(entry_types, entry_steps, entry_data) with ordinality as entry (type, step_id, data, place);
  return true;
end
$$;

-- Writes a step's state: {status, arguments, decisionId, approvalId, spanId, attempts, output, started, ended}. What is missing stays.
create function keep_step(owner uuid, execution uuid, step text, change jsonb) returns void
language plpgsql as $$
begin
  insert into execution_steps (tenant_id, execution_id, step_id, status, arguments, decision_id, approval_id, span_id, attempts,
    output, started_at, ended_at)
  values (owner, execution, step, change->>'status', (change->>'arguments')::bytea, (change->>'decisionId')::uuid,
    (change->>'approvalId')::uuid, change->>'spanId', coalesce((change->>'attempts')::integer, 0), (change->>'output')::bytea,
    case when (change->>'started')::boolean then clock_timestamp() end,
    case when (change->>'ended')::boolean then clock_timestamp() end)
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

-- Records a decision. False, without recording it, if `if_current` and `bindings` is no longer the revision of the tenant's bindings.
create function record_decision(owner uuid, decision jsonb, asked bytea, if_current boolean, bindings uuid) returns boolean
language plpgsql as $$
begin
  insert into policy_decisions (tenant_id, id, agent_id, release_id, execution_id, step_id, requested_by, environment,
    action, resource, effect, obligations, reasons, policies, shadow, request, input_digest)
  select owner, (decision->>'id')::uuid, (decision->>'agentId')::uuid, (decision->>'releaseId')::uuid,
    (decision->>'executionId')::uuid, decision->>'stepId', (decision->>'requestedBy')::uuid, decision->>'environment',
    decision->>'action', decision->>'resource', decision->>'effect', decision->'obligations', decision->'reasons',
    decision->'policies', nullif(decision->'shadow', 'null'), asked, decision->>'inputDigest'
  where not if_current
    or (select revision from policy_binding_revisions where tenant_id = owner) is not distinct from bindings;
  return found;
end
$$;

-- Starts a call. With `begins` {agentId, name, startedAt}, the execution begins with it: its trace is started. With `decision`, it is
-- recorded first, if it was made by the current bindings. Returns 'begun'; otherwise why not, and the transaction must be rolled back.
create function begin_call(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_deadline timestamptz, trace text, begins jsonb, decision jsonb, asked bytea, bindings uuid, spans_made jsonb,
  step text, step_change jsonb
) returns text
language plpgsql as $$
begin
  if begins is not null then
    perform start_trace(
      owner, trace, execution, (begins->>'agentId')::uuid, begins->>'name', (begins->>'startedAt')::timestamptz
    );
  end if;
  if decision is not null and not record_decision(owner, decision, asked, true, bindings) then return 'old bindings'; end if;
  if not (select known from start_spans(owner, trace, spans_made)) then return 'no trace'; end if;
  if not change_execution(
    owner, execution, known_revision, entry_types, entry_steps, entry_data, 'running', null, null, begins is not null, false,
    new_deadline, null, false, false
  ) then return 'changed'; end if;
  perform keep_step(owner, execution, step, step_change);
  return 'begun';
end
$$;

-- Ends a call, an execution, or both: the step, the spans, and the execution with its journal, in the order in which stopping an
-- execution locks them. Without `step` or `trace`, that part is left out. Returns 'done'; otherwise why not, and the transaction must be
-- rolled back.
create function end_call(
  owner uuid, execution uuid, known_revision integer, entry_types text[], entry_steps text[], entry_data bytea[],
  new_status text, new_output bytea, new_error bytea, ends boolean, confirms_stop boolean, while_allowed boolean,
  trace text, spans_ended jsonb, trace_ends_at timestamptz, step text, step_change jsonb
) returns text
language plpgsql as $$
begin
  if step is not null then perform keep_step(owner, execution, step, step_change); end if;
  if trace is not null and not (select known from end_spans(owner, trace, spans_ended, trace_ends_at)) then
    return 'no trace';
  end if;
  if not change_execution(
    owner, execution, known_revision, entry_types, entry_steps, entry_data, new_status, new_output, new_error, false, ends, null,
    null, confirms_stop, while_allowed
  ) then return 'changed'; end if;
  return 'done';
end
$$;

-- Writes the states of rows that follow the stored ones, and appends the records: the end of every transaction that wrote evidence.
-- Fails if another transaction has bound one of the objects in the meantime.
create function bind_and_append(
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
    raise exception 'Another transaction has bound one of these objects in the meantime.';
  end if;
  perform append_keyed_records(
    owner, moment, audit_ids, types, bodies, digests, macs, leaf_tails, nonces, channels, topics
  );
end
$$;
