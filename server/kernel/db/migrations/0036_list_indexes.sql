-- A page of a list touches what it shows, however long the list is (server/testing/proof/long-lists.test.ts).

-- Under row-level security an index serves leakproof operators only, and `->>` is none: an index on an expression of the
-- record was never used. These columns are copies for reading, which no hash covers and nobody can write.
drop index audit_records_by_actor;
drop index audit_records_by_resource;
alter table audit_records
  add column actor_id text generated always as (record -> 'actor' ->> 'id') stored,
  add column resource_id text generated always as (record -> 'resource' ->> 'id') stored;
create index audit_records_by_actor on audit_records (tenant_id, actor_id, date, seq);
create index audit_records_by_resource on audit_records (tenant_id, resource_id, date, seq);

create index agent_versions_by_agent on agent_versions (tenant_id, agent_id, id desc);
create index releases_by_agent on releases (tenant_id, agent_id, id desc);
create index approver_delegations_by_delegator on approver_delegations (tenant_id, delegator_id, id desc);
create index executions_to_stop on executions (tenant_id, id desc) where stop_requested_at is not null;
create index input_events_by_status on input_events (tenant_id, status, id desc);
create index input_resolutions_by_delivery on input_resolutions (tenant_id, delivery, id desc);
create index members_by_kind on members (tenant_id, kind, id);
create index members_by_status on members (tenant_id, status, id);
create index members_admins on members (tenant_id, id)
  where kind = 'person' and status = 'active' and 'tenant_admin' = any(roles);
create index secrets_by_kind on secrets (tenant_id, kind, id desc);
create index secrets_kept on secrets (tenant_id, kind, id desc) where archived_at is null;
create index policy_bindings_by_status on policy_bindings (tenant_id, status, id desc);
