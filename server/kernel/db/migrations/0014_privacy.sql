-- Who may see masked values in clear, who did, what was erased, and what must be kept.

create table unmask_grants (
  tenant_id uuid not null references tenants,
  id uuid not null,
  trace_id text not null,
  member_id uuid not null,
  -- Keys of attributes; null: all of the trace.
  fields text[],
  purpose text not null,
  justification text not null,
  status text not null check (status in ('pending', 'active', 'rejected')),
  approval_id uuid,
  created_at timestamptz not null default now(),
  -- Of an active one.
  expires_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index unmask_grants_by_trace on unmask_grants (tenant_id, trace_id, member_id);

-- Each reading in clear, beside its audit record.
create table trace_reveals (
  tenant_id uuid not null references tenants,
  audit_id uuid not null,
  trace_id text not null,
  span_id text,
  member_id uuid not null,
  grant_id uuid,
  purpose text not null,
  justification text not null,
  revealed_at timestamptz not null default now(),
  primary key (tenant_id, audit_id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index trace_reveals_by_trace on trace_reveals (tenant_id, trace_id, audit_id desc);

create table erasures (
  tenant_id uuid not null references tenants,
  id uuid not null,
  status text not null check (status in ('pending', 'completed')),
  -- The subject is itself what must be forgotten: encrypted until the work is done, then gone. The digest is keyed.
  subject bytea,
  subject_digest text not null,
  reason text not null,
  requested_by uuid not null,
  spans integer not null default 0,
  erased_values integer not null default 0,
  held_spans integer not null default 0,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, requested_by) references members (tenant_id, id)
);

-- What may be neither erased nor deleted by age: a trace, or all that is of these days.
create table legal_holds (
  tenant_id uuid not null references tenants,
  id uuid not null,
  trace_id text,
  from_day date,
  to_day date,
  reason text not null,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  revision integer not null default 1,
  released_by uuid,
  released_at timestamptz,
  release_reason text,
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references members (tenant_id, id),
  check (trace_id is not null or (from_day is not null and to_day is not null and from_day <= to_day))
);
create index legal_holds_active on legal_holds (tenant_id) where released_at is null;

do $$
declare t text;
begin
  foreach t in array array['unmask_grants', 'trace_reveals', 'erasures', 'legal_holds']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
