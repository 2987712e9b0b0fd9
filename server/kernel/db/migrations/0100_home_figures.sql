-- The figures of the home page and of the list of agents count what ended in a period (docs/decisions/0093-what-home-reads.md). What they count
-- is part of each index, so that no row is read.
create index executions_by_end on executions (tenant_id, ended_at) include (agent_id, status) where ended_at is not null;
create index approvals_by_decision on approvals (tenant_id, decided_at) include (status, requested_at) where decided_at is not null;
create index execution_charges_by_settlement on execution_charges (tenant_id, settled_at) include (currency, charged_micros)
  where settled_at is not null;

-- What waits, the soonest to expire first; and how much of it is about an agent.
create index approvals_pending_by_expiry on approvals (tenant_id, expires_at, id) include (agent_id) where status = 'pending';
