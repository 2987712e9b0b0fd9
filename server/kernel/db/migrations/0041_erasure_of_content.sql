-- Erasures and retention reach all content, not only spans (docs/decisions/0018-what-erasure-reaches.md).

-- What runs, or is still open, when an erasure comes by: it is erased once it has ended. Null: not looked through yet.
alter table erasures add column waits_for uuid[],
  add column records integer not null default 0,
  add column held_records integer not null default 0;

-- What an answer says of content that is gone: where, when, and by which erasure; none: the tenant's retention passed it.
create table erased_content (
  tenant_id uuid not null references tenants,
  resource text not null check (resource in ('execution', 'approval', 'policy_decision', 'input_event', 'input_resolution',
    'mail', 'file', 'trace')),
  resource_id text not null,
  id uuid not null,
  erasure_id uuid,
  -- How many texts an erasure took.
  texts integer not null,
  erased_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, resource, resource_id, id),
  unique nulls not distinct (tenant_id, resource, resource_id, erasure_id),
  foreign key (tenant_id, erasure_id) references erasures (tenant_id, id)
);
alter table erased_content enable row level security;
alter table erased_content force row level security;
create policy tenant_isolation on erased_content using (tenant_id = app_tenant()) with check (tenant_id = app_tenant());

-- Its bytes are gone from DATA_DIR; name, size, type and digest stay.
alter table files add column content_removed_at timestamptz;
