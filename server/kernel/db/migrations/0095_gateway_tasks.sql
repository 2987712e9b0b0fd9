-- Tasks of MCP clients: handles by which a client asks for the result of a call that waits (docs/decisions/0082-tasks-over-mcp.md).
-- The call is an execution, which is evidence; its task is not.
create table gateway_tasks (
  tenant_id uuid not null references tenants,
  id uuid not null,
  execution_id uuid not null,
  -- The caller: the member, and the client of another vendor if its token was issued to one.
  member_id uuid not null,
  client_id text,
  server text not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  canceled_at timestamptz,
  primary key (tenant_id, id),
  unique nulls not distinct (tenant_id, execution_id, member_id, client_id),
  foreign key (tenant_id, execution_id) references executions (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index gateway_tasks_by_member on gateway_tasks (tenant_id, member_id, id);
create index gateway_tasks_by_expiry on gateway_tasks (tenant_id, expires_at);

alter table gateway_tasks enable row level security;
alter table gateway_tasks force row level security;
create policy tenant_isolation on gateway_tasks using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
