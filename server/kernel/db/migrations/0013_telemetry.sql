-- Spans are partitioned by the day on which their trace was first heard of (UTC, the database's clock): a trace lies in one
-- partition, and no client can choose another one. Partitions are made ahead and dropped by server/kernel/db/partitions.ts;
-- what has none lands in the default one. They stand in a schema of their own that the application's role can't enter, so
-- that row-level security of `spans` is always in the way.
create schema partitions;

alter table traces no force row level security;
alter table spans no force row level security;

alter table traces
  add column day date,
  -- Counters, so that no request counts spans.
  add column span_count integer not null default 0,
  add column error_count integer not null default 0,
  add column kinds text[] not null default '{}',
  -- Names of the spans in lower case, a line each, as far as they fit.
  add column search text not null default '',
  -- As the agent calls itself; agent_id only when one of that name is registered.
  add column agent_name text;
update traces set day = (started_at at time zone 'UTC')::date,
  span_count = (select count(*) from spans s where s.tenant_id = traces.tenant_id and s.trace_id = traces.trace_id),
  error_count = (select count(*) from spans s where s.tenant_id = traces.tenant_id and s.trace_id = traces.trace_id
    and s.status = 'error'),
  kinds = array(select distinct s.kind from spans s where s.tenant_id = traces.tenant_id and s.trace_id = traces.trace_id),
  search = left(coalesce((select string_agg(distinct lower(s.name), e'\n') from spans s
    where s.tenant_id = traces.tenant_id and s.trace_id = traces.trace_id), ''), 4000);
alter table traces
  alter column day set not null,
  alter column day set default (now() at time zone 'UTC')::date;
create index traces_by_day on traces (tenant_id, day);

alter table spans rename to spans_before;
alter table spans_before rename constraint spans_pkey to spans_before_pkey;
drop index spans_by_start, spans_by_end;

create table spans (
  tenant_id uuid not null,
  day date not null,
  trace_id text not null check (trace_id ~ '^[0-9a-f]{32}$'),
  span_id text not null check (span_id ~ '^[0-9a-f]{16}$'),
  parent_span_id text,
  -- Who wrote it: an execution of ours, or telemetry, which changes nothing that is there.
  origin text not null check (origin in ('execution', 'telemetry')),
  name text not null,
  kind text not null,
  status text not null check (status in ('unset', 'ok', 'error')),
  status_message text,
  -- [{key, value?, masked?, sd?}] in order: never an object, because a span may carry a key such as __proto__.
  -- `sd` is the salted commitment to a sensitive value; salt and value stand in `sealed`.
  attributes jsonb not null,
  -- [{name, at, attributes}], as sent with the span.
  events jsonb not null default '[]',
  -- What the dialects say in common: model, tool, tokens.
  facts jsonb not null default '{}',
  -- Each encrypted with the tenant's key: JSON [[salt, value], …].
  sealed bytea[],
  -- Of what telemetry sent, keyed with the tenant's key: the same span again is recognised.
  fingerprint bytea,
  -- The audit record of the batch, and the place of this span's leaf in it.
  audit_id uuid,
  batch_index integer,
  started_at timestamptz not null,
  ended_at timestamptz,
  start_change integer not null,
  end_change integer,
  primary key (tenant_id, day, trace_id, span_id)
) partition by range (day);
-- Ciphertext does not compress.
alter table spans alter column sealed set storage external;
create index spans_by_start on spans (tenant_id, trace_id, start_change);
create index spans_by_end on spans (tenant_id, trace_id, end_change) where end_change is not null;
create table partitions.spans_default partition of spans default;

insert into spans (tenant_id, day, trace_id, span_id, parent_span_id, origin, name, kind, status, status_message,
    attributes, started_at, ended_at, start_change, end_change)
  select s.tenant_id, t.day, s.trace_id, s.span_id, s.parent_span_id, 'execution', s.name, s.kind, s.status,
    s.status_message, s.attributes, s.started_at, s.ended_at, s.start_change, s.end_change
  from spans_before s join traces t using (tenant_id, trace_id);
drop table spans_before;

-- The leaves (32 bytes each, in order) of what one request added; their root stands in the audit record.
create table telemetry_batches (
  tenant_id uuid not null references tenants,
  audit_id uuid not null,
  day date not null,
  leaves bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, audit_id)
);
create index telemetry_batches_by_day on telemetry_batches (tenant_id, day);

-- Agents that appear in telemetry by name, registered or not.
create table observed_agents (
  tenant_id uuid not null references tenants,
  name text not null,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  last_trace_id text not null,
  primary key (tenant_id, name)
);

alter table traces force row level security;
do $$
declare t text;
begin
  foreach t in array array['spans', 'telemetry_batches', 'observed_agents']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
