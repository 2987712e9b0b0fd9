-- What a model has answered so far, while it answers: one row for each call that runs, rewritten a few times a second and
-- gone with the call. Nothing is recorded here, so it needs no write-ahead log: after a crash of the database it is empty.
create unlogged table partial_texts (
  tenant_id uuid not null,
  trace_id text not null,
  span_id text not null,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, trace_id, span_id)
);

alter table partial_texts enable row level security;
alter table partial_texts force row level security;
create policy tenant_isolation on partial_texts using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
