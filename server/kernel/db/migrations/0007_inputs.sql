-- Durable external input: events, the waits that they are for, and what became of each match. And how an execution is stopped.

-- An event is kept before anybody waits for it. execution_id and input_name are what the sender wrote: they may name nothing.
create table input_events (
  tenant_id uuid not null references tenants,
  -- The receipt.
  id uuid not null,
  -- sha256 over the idempotency key, or over source and id: what makes two submissions the same event.
  identity text not null,
  fingerprint text not null,
  idempotency_key text,
  source text,
  event_id text,
  type text,
  subject text,
  execution_id uuid not null,
  input_name text not null,
  data jsonb not null,
  status text not null check (status in ('received', 'accepted', 'unmatched_expired', 'wait_terminal')),
  submitted_by uuid not null,
  revision integer not null default 1,
  received_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  settled_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, identity),
  foreign key (tenant_id, submitted_by) references members (tenant_id, id)
);
create index input_events_unmatched on input_events (tenant_id, execution_id, input_name, id) where status = 'received';
create index input_events_by_expiry on input_events (tenant_id, expires_at) where status = 'received';
create index input_events_by_execution on input_events (tenant_id, execution_id, id desc);

-- A waiting execution is rows: nothing in memory waits. One execution waits for one input once.
create table input_waits (
  tenant_id uuid not null,
  id uuid not null,
  execution_id uuid not null,
  step_id text not null,
  input_name text not null,
  on_expiry text not null check (on_expiry in ('fail', 'continue')),
  status text not null check (status in ('open', 'matched', 'satisfied', 'canceled', 'expired', 'superseded')),
  event_id uuid,
  revision integer not null default 1,
  opened_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  -- While its agent is suspended the wait's time stands still.
  parked_at timestamptz,
  matched_at timestamptz,
  closed_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, execution_id, input_name),
  foreign key (tenant_id, execution_id) references executions (tenant_id, id),
  foreign key (tenant_id, event_id) references input_events (tenant_id, id)
);
create index input_waits_by_status on input_waits (tenant_id, status, id desc);

-- How a wait's answer comes to its execution (`event`), or a question to a person (`mail`): delivery and application are
-- two states. An unknown delivery is never repeated by itself.
create table input_resolutions (
  tenant_id uuid not null,
  id uuid not null,
  wait_id uuid not null,
  event_id uuid,
  channel text not null check (channel in ('event', 'mail')),
  recipient text,
  delivery text not null check (delivery in ('pending', 'in_flight', 'delivered', 'failed', 'unknown')),
  delivery_error text,
  application text not null check (application in ('not_applied', 'applied', 'rejected')),
  attempts integer not null default 0,
  revision integer not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  delivered_at timestamptz,
  applied_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, wait_id) references input_waits (tenant_id, id),
  foreign key (tenant_id, event_id) references input_events (tenant_id, id)
);
create unique index input_resolutions_one_event on input_resolutions (tenant_id, event_id) where event_id is not null;
create index input_resolutions_by_wait on input_resolutions (tenant_id, wait_id);

alter table execution_steps drop constraint execution_steps_status_check;
alter table execution_steps add constraint execution_steps_status_check check (status in
  ('decided', 'waiting_approval', 'waiting_input', 'approved', 'calling', 'succeeded', 'failed', 'skipped'));

-- A stop is asked for, and proven: two times. Parked: the agent is suspended, and every deadline stands still.
alter table executions add stop_requested_at timestamptz, add stop_confirmed_at timestamptz, add stop_reason text,
  add parked_at timestamptz;
create index executions_under_way on executions (tenant_id, agent_id, status) where ended_at is null;
create index executions_by_status on executions (tenant_id, status, id desc);
create index executions_by_agent on executions (tenant_id, agent_id, id desc);
alter table approvals add parked_at timestamptz;

do $$
declare t text;
begin
  foreach t in array array['input_events', 'input_waits', 'input_resolutions']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
