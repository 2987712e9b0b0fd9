-- Content is encrypted with its tenant's key: a column that held JSON in clear is bytea from here on. SQL can't encrypt, so
-- what was there moves to `unsealed`, and the start that applies this seals it before it serves (server/kernel/seal).

create table unsealed (
  tenant_id uuid not null references tenants,
  id uuid not null default gen_random_uuid(),
  -- Which statement of server/kernel/seal/kinds.ts takes it back, for which row, and the values by column.
  kind text not null,
  row_key jsonb not null,
  row_values jsonb not null,
  primary key (tenant_id, id)
);

-- The owner need not be a superuser: it sees the rows of all tenants only while their policies do not bind it.
alter table executions no force row level security;
alter table execution_steps no force row level security;
alter table execution_events no force row level security;

insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'execution', jsonb_build_object('id', id),
    jsonb_strip_nulls(jsonb_build_object('input', input::text, 'output', output::text, 'error', error::text))
  from executions;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'execution_step', jsonb_build_object('execution_id', execution_id, 'step_id', step_id),
    jsonb_strip_nulls(jsonb_build_object('arguments', arguments::text, 'output', output::text))
  from execution_steps where arguments is not null or output is not null;
insert into unsealed (tenant_id, kind, row_key, row_values)
  select tenant_id, 'execution_event',
    jsonb_build_object('execution_id', execution_id, 'seq', seq, 'type', type, 'step_id', step_id),
    jsonb_build_object('data', data::text)
  from execution_events where data <> '{}';

alter table executions drop column input, drop column output, drop column error,
  add column input bytea, add column output bytea, add column error bytea;
alter table execution_steps drop column arguments, drop column output,
  add column arguments bytea, add column output bytea;
-- Null: an empty object.
alter table execution_events drop column data, add column data bytea;
-- Ciphertext does not compress.
alter table executions alter column input set storage external, alter column output set storage external,
  alter column error set storage external;
alter table execution_steps alter column arguments set storage external, alter column output set storage external;
alter table execution_events alter column data set storage external;

alter table executions force row level security;
alter table execution_steps force row level security;
alter table execution_events force row level security;

alter table unsealed enable row level security;
alter table unsealed force row level security;
create policy tenant_isolation on unsealed using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
