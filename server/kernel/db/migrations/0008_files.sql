-- Files by digest: the content lies in DATA_DIR, once for each tenant and digest; a row is one upload.
create table files (
  tenant_id uuid not null references tenants,
  id uuid not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint not null,
  name text not null,
  media_type text not null,
  created_by uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references members (tenant_id, id)
);
create index files_by_digest on files (tenant_id, sha256);
create index files_by_time on files (tenant_id, created_at);

-- What keeps a file: an execution that has it in its input or output. It is kept as long as the execution.
create table file_uses (
  tenant_id uuid not null,
  file_id uuid not null,
  execution_id uuid not null,
  role text not null check (role in ('input', 'output')),
  primary key (tenant_id, file_id, execution_id, role),
  foreign key (tenant_id, file_id) references files (tenant_id, id),
  foreign key (tenant_id, execution_id) references executions (tenant_id, id)
);
create index file_uses_by_execution on file_uses (tenant_id, execution_id);

do $$
declare t text;
begin
  foreach t in array array['files', 'file_uses']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant_isolation on %I using (tenant_id = app_tenant()) with check (tenant_id = app_tenant())', t);
  end loop;
end $$;
