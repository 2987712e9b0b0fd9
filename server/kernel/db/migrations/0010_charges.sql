-- What model calls cost: reserved in the transaction that starts the call, settled in the one that records its answer.
-- A call whose answer never came keeps its whole reservation: the provider may have charged it.
create table execution_charges (
  tenant_id uuid not null,
  execution_id uuid not null,
  step_id text not null,
  attempt integer not null,
  model text not null,
  -- Null when the manifest names no prices: then tokens are counted, and nothing is held against a budget.
  currency text,
  -- Millionths of the currency.
  reserved_micros bigint not null check (reserved_micros >= 0),
  charged_micros bigint check (charged_micros >= 0),
  input_tokens integer,
  output_tokens integer,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  primary key (tenant_id, execution_id, step_id, attempt),
  foreign key (tenant_id, execution_id) references executions (tenant_id, id)
);

alter table execution_charges enable row level security;
alter table execution_charges force row level security;
create policy tenant_isolation on execution_charges using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
