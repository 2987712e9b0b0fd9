-- What the tenant's retention has passed is found without reading what it has passed before.
create index executions_with_content on executions (tenant_id, ended_at) where ended_at is not null and input is not null;
create index approvals_with_content on approvals (tenant_id, decided_at)
  where execution_id is null and presentation is not null;
create index policy_decisions_with_content on policy_decisions (tenant_id, created_at)
  where execution_id is null and request is not null;
create index input_events_with_content on input_events (tenant_id, settled_at) where data is not null;
create index mails_with_content on mails (tenant_id, created_at) where message is not null;
create index idempotency_keys_with_content on idempotency_keys (tenant_id, created_at) where response is not null;
create index files_with_content on files (tenant_id, created_at) where content_removed_at is null;
