-- Filters of the list of executions, and what its rows say (docs/decisions/0084-executions-say-what-they-do.md).
create index executions_by_start on executions (tenant_id, created_at desc, id desc);
create index executions_by_starter on executions (tenant_id, started_by, id desc);
create index executions_by_environment on executions (tenant_id, environment, id desc);

-- The first calls in a journal, however long it is.
create index execution_events_of_calls on execution_events (tenant_id, execution_id, seq) where type = 'tool.called';
