-- What a span's exporter says of itself and which other spans it belongs to: kept and masked like attributes.
alter table spans
  -- [{traceId, spanId, attributes}] in order; sensitive values stand in `sealed` with those of the span.
  add column links jsonb not null default '[]',
  -- The resource among those of its batch; null: none.
  add column resource_index integer;

-- The resources of one request (service, host, process), each once: hundreds of spans have the same.
create table batch_resources (
  tenant_id uuid not null references tenants,
  audit_id uuid not null,
  resource_index integer not null check (resource_index >= 0),
  day date not null,
  -- As those of a span.
  attributes jsonb not null,
  sealed bytea,
  primary key (tenant_id, audit_id, resource_index)
);
alter table batch_resources alter column sealed set storage external;
create index batch_resources_by_day on batch_resources (tenant_id, day);

alter table batch_resources enable row level security;
alter table batch_resources force row level security;
create policy tenant_isolation on batch_resources using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());
